package safety

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDisguisedWrite(t *testing.T) {
	for _, c := range []struct {
		name, description, args string
		want                    bool
	}{
		// genuine reads
		{"get_weather", "Gets the weather.", `{"city": "Ghent"}`, false},
		{"list_issues", "Lists issues", `{"state": "open"}`, false},
		{"read_file", "Read a file", `{"path": "a.txt"}`, false},
		{"search", "Search the web", `{"query": "how to delete a branch"}`, false},
		{"search", "", `{"query": "update on the weather, please set a reminder"}`, false},
		{"search", "", `{"query": "create table in Word"}`, true}, // valid SQL
		{"get_post", "Returns a post", `{"id": 3}`, false},
		{"list_posts", "", `{}`, false},
		{"getUpdateHistory", "", `{}`, false},
		{"post_count", "", `{}`, false},
		{"run_status", "Status of a run", `{"id": "x"}`, false},
		{"commit_log", "", `{"n": 3}`, false},
		{"set_theory_lookup", "", `{"q": "union"}`, false},
		{"fetch_url", "Fetches a page", `{"url": "https://example.org", "method": "GET"}`, false},
		{"fetch_url", "", `{"url": "https://example.org", "method": "head"}`, false},
		{"interpolate", "", `{"method": "linear"}`, false},
		{"query_db", "Runs a query", `{"sql": "SELECT * FROM t WHERE a = 'drop table t; delete from x'"}`, false},
		{"query_db", "", `{"sql": "SELECT * FROM t WHERE a = 'drop table t; delete from x'"}`, false},
		{"query_db", "", `{"sql": "-- count them\nselect count(*) from t"}`, false},
		{"query_db", "", `{"sql": "WITH a AS (SELECT 1) SELECT * FROM a"}`, false},
		{"query_db", "", `{"sql": "EXPLAIN SELECT 1"}`, false},
		{"graph", "", `{"query": "query { user { name } }"}`, false},
		{"shell_info", "", `{"command": "ls -la /tmp"}`, false},
		{"shell_info", "", `{"command": "grep -E 'a|b' notes.txt"}`, false},
		{"shell_info", "", `{"command": "git log --oneline"}`, false},
		{"file_search", "", `{"path": ".", "pattern": "TODO"}`, false},
		{"describe_table", "", `{"table": "updates"}`, false},
		{"calculate", "Evaluates an expression", `{"expression": "1 > 2"}`, false},
		{"docs", "Store hours of a shop", `{}`, false},
		{"checkout_status", "", `{}`, false},
		{"address_lookup", "", `{"address": "x"}`, false},
		{"get_settings", "", `{}`, false},
		{"translate", "", `{"text": "delete everything", "to": "fr"}`, false},
		{"", "", ``, false},
		// disguised writes
		{"write_file", "", `{}`, true},
		{"deleteBranch", "", `{}`, true},
		{"repo_delete_branch", "", `{}`, true},
		{"get_or_create_user", "", `{}`, true},
		{"list_and_purge", "", `{}`, true},
		{"send-email", "", `{}`, true},
		{"exec", "", `{}`, true},
		{"run_query", "", `{}`, true},
		{"user.update", "", `{}`, true},
		{"dеlete_file", "", `{}`, true}, // with a Cyrillic letter
		{"DELETE_FILE", "", `{}`, true},
		{"files", "Deletes files.", `{}`, true},
		{"files", "Overwrites the file given", `{}`, true},
		{"messages", "Sends a message", `{}`, true},
		{"query_db", "", `{"sql": "DROP TABLE users"}`, true},
		{"query_db", "", `{"sql": "select 1; delete from users"}`, true},
		{"query_db", "", `{"sql": "/* x */ UPDATE users SET a = 1"}`, true},
		{"query_db", "", `{"sql": "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a"}`, true},
		{"query_db", "", `{"sql": "EXPLAIN ANALYZE DELETE FROM t"}`, true},
		{"query_db", "", `{"sql": "SELECT * INTO OUTFILE '/tmp/x' FROM t"}`, true},
		{"query_db", "", `{"sql": "SELECT a INTO b FROM t"}`, true},
		{"query_db", "", `{"sql": "/*!50000 DROP TABLE t */"}`, true},
		{"query_db", "", `{"sql": "PRAGMA journal_mode=WAL"}`, true},
		{"query_db", "", `{"sql": "CALL wipe()"}`, true},
		{"query_db", "", `{"options": {"statement": "insert into t values (1)"}}`, true},
		{"lookup", "", `{"query": "insert into t values (1)"}`, true},
		{"graph", "", `{"graphql": "mutation { deleteAll }"}`, true},
		{"graph", "", `{"query": "query a { x } mutation b { y }"}`, true},
		{"graph", "", `{"query": "# only looks\nmutation { y }"}`, true},
		{"graph", "", `{"document": "fragment f on U { id } mutation M { y }"}`, true},
		{"graph", "", `{"query": "{ search(text: \"mutation { x }\") { id } }"}`, false},
		{"graph", "", `{"query": "query q { mutation { id } }"}`, false}, // a field with that name
		{"graph", "", `{"query": "mutation of genes"}`, false},
		{"query_db", "", `{"sql": "select pg_terminate_backend(1)"}`, true},
		{"query_db", "", `{"sql": "select nextval ('s')"}`, true},
		{"query_db", "", `{"query": "select lo_import('/etc/passwd')"}`, true},
		{"query_db", "", `{"sql": "select * from t for update"}`, true},
		{"query_db", "", `{"sql": "select nextval from t where note = 'setval(1)'"}`, false},
		{"fetch_url", "", `{"url": "https://example.org", "headers": {"X-HTTP-Method-Override": "DELETE"}}`, true},
		{"fetch_url", "", `{"url": "https://example.org", "headers": {"Accept": "text/html"}}`, false},
		{"sync", "", `{"dry_run": false}`, true},
		{"sync", "", `{"dry_run": true}`, false},
		{"sync", "", `{"confirm": true}`, true},
		{"files", "", `{"flags": ["--delete"]}`, true},
		{"files", "", `{"args": ["--sort", "-l", "delete"]}`, false},
		{"runner", "", `{"code": "os.remove('x')"}`, true},
		{"runner", "", `{"script": "fs.unlinkSync('x')"}`, true},
		{"countries", "", `{"code": "NO"}`, false},
		{"options", "", `{"fill": [` + strings.Repeat("1,", 5000) + `1], "options": {"statement": "delete from t"}}`, true},
		{"options", "", strings.Repeat(`{"a":`, maxDepth+1) + `{"statement": "delete from t"}` + strings.Repeat("}", maxDepth+1), true},
		{"options", "", `{"a": {"b": {"c": [[[{"path": "x"}]]]}}}`, false},
		{"graph", "", `{"query": "mutation { deleteUser(id: 1) { id } }"}`, true},
		{"fetch_url", "", `{"url": "https://example.org", "method": "POST"}`, true},
		{"fetch_url", "", `{"request": {"httpMethod": " delete "}}`, true},
		{"shell_info", "", `{"command": "ls; rm -rf /"}`, true},
		{"shell_info", "", `{"command": "cat a > b"}`, true},
		{"shell_info", "", `{"command": "echo $(rm x)"}`, true},
		{"shell_info", "", "{\"command\": \"echo \\\"`rm x`\\\"\"}", true},
		{"shell_info", "", `{"command": "rm -rf /"}`, true},
		{"shell_info", "", `{"command": "A=1 sudo /bin/rm x"}`, true},
		{"shell_info", "", `{"command": "sed -i s/a/b/ x"}`, true},
		{"shell_info", "", `{"command": "git push"}`, true},
		{"shell_info", "", `{"command": "find . -delete"}`, true},
		{"shell_info", "", `{"command": "echo 'open"}`, true},
		{"files", "", `{"action": "delete", "id": 3}`, true},
		{"files", "", `{"mode": "w", "path": "x"}`, true},
		{"files", "", `{"path": "x", "content": "y"}`, true},
		{"files", "", `{"path": "x", "overwrite": true}`, true},
		{"files", "", `not json`, true},
	} {
		reason, got := DisguisedWrite(c.name, c.description, json.RawMessage(c.args))
		if got != c.want || got != (reason != "") {
			t.Errorf("%s (%s) %s: %v, %q", c.name, c.description, c.args, got, reason)
		}
	}
}

func FuzzDisguisedWrite(f *testing.F) {
	f.Add("a", "b", `{"sql":"/*"}`)
	f.Add("getOrCreate", "Deletes", `{"command":"'"}`)
	f.Add("\xff", "\xff", `{"method":"\u0000"}`)
	f.Fuzz(func(t *testing.T, name, description, args string) {
		reason, disguised := DisguisedWrite(name, description, json.RawMessage(args))
		if disguised != (reason != "") {
			t.Errorf("%v, %q", disguised, reason)
		}
		// A name that counts as a write without arguments also counts as a write with any
		// arguments.
		if alone, yes := DisguisedWrite(name, "", nil); yes && !disguised {
			t.Errorf("%q alone, but not with arguments", alone)
		}
	})
}
