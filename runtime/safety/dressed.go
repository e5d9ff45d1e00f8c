package safety

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Dressed returns why a call of a foreign tool that is declared to read must be treated
// as a write: because of its name, the first verb of its description, or its arguments.
// It is only for tools of other people's servers, and errs on the side of a write; a
// call that passes is not thereby proven to read.
func Dressed(toolName, description string, args json.RawMessage) (string, bool) {
	if verb := nameVerb(words(toolName)); verb != "" {
		return fmt.Sprintf("its name says %s", verb), true
	}
	if first := words(clip(strings.TrimSpace(description), 200)); len(first) > 0 {
		if verb := base(first[0]); slices.Contains(writeVerbs(), verb) && !slices.Contains(nouns(), verb) {
			return fmt.Sprintf("its description begins with %s", first[0]), true
		}
	}
	if len(args) > maxArguments {
		return "its arguments are too large to be looked at", true
	}
	var root any
	if len(args) == 0 {
		return "", false
	}
	if err := json.Unmarshal(args, &root); err != nil {
		return "its arguments are no JSON", true
	}
	reason, path, content := "", false, false
	whole := walk(root, func(name, text string) {
		name = plainName(name)
		if reason == "" {
			reason = argument(name, text)
		}
		path = path || slices.Contains([]string{"path", "file", "filepath", "filename", "targetfile", "destination"}, name)
		content = content || slices.Contains([]string{"content", "contents", "newcontent", "filetext", "newstr", "newtext", "data", "patch", "diff"}, name)
	})
	switch {
	case reason == "" && path && content:
		reason = "it has a file and its new content"
	case reason == "" && !whole: // the decisive argument may be behind padding
		reason = "its arguments are too many or too deep to be looked at"
	}
	return reason, reason != ""
}

// writeVerbs returns the verbs of tools that change something.
func writeVerbs() []string {
	return []string{
		"write", "delete", "remove", "update", "create", "insert", "exec", "execute", "run", "send", "post", "put", "drop", "patch", "upsert", "set",
		"add", "append", "edit", "modify", "replace", "save", "store", "overwrite", "truncate", "move", "rename", "copy", "upload", "commit", "push", "merge",
		"publish", "deploy", "kill", "restart", "reboot", "shutdown", "grant", "revoke", "install", "uninstall", "approve", "reject", "pay", "transfer", "purchase", "buy", "book",
		"cancel", "wipe", "purge", "clear", "reset", "enable", "disable", "trigger", "invoke", "reply", "tweet", "email", "notify", "subscribe", "unsubscribe",
		"rm", "del", "mkdir", "rmdir", "mv", "eval", "spawn", "fork", "close", "archive", "assign", "import", "restore", "rollback", "sign", "register", "erase", "destroy",
	}
}

// readVerbs returns the verbs of tools that change nothing.
func readVerbs() []string {
	return []string{
		"get", "list", "read", "search", "find", "fetch", "show", "describe", "view", "count", "query", "lookup", "check", "inspect", "stat", "head", "tail",
		"explain", "validate", "preview", "estimate", "is", "has", "can", "compare", "analyze", "summarize", "calculate", "compute", "browse", "watch", "export", "download", "resolve", "grep", "select",
	}
}

// nouns returns verbs of writing that often name a thing, as in run status.
func nouns() []string {
	return []string{"post", "run", "commit", "patch", "merge", "set", "book", "email", "push", "copy", "transfer", "import", "archive", "store", "reset", "put", "reply", "close", "sign", "register", "fork"}
}

// facets returns what can be read about a thing.
func facets() []string {
	return []string{"count", "counts", "history", "log", "logs", "info", "list", "stats", "summary", "details", "status", "search", "lookup", "price", "prices", "id", "ids", "results", "metadata", "diff"}
}

// nameVerb returns the verb of writing in a tool's name; "" if it has none.
func nameVerb(name []string) string {
	writes := writeVerbs()
	reads := false
	for i, w := range name {
		joined := i > 0 && (name[i-1] == "and" || name[i-1] == "or" || name[i-1] == "then")
		if slices.Contains(readVerbs(), w) && !joined {
			// A following word is the object that is read, unless it is another verb
			// joined to it.
			reads = true
			continue
		}
		if !slices.Contains(writes, w) || reads && !joined {
			continue
		}
		last := name[len(name)-1]
		if slices.Contains(nouns(), w) && i < len(name)-1 && slices.Contains(facets(), last) {
			continue
		}
		return w
	}
	return ""
}

// words splits a name at capitals and at non-letters, in lower case and with
// look-alikes replaced.
func words(name string) []string {
	var parts []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			parts = append(parts, fold(string(word)))
			word = word[:0]
		}
	}
	last := ' '
	for _, r := range clip(name, 256) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.Is(unicode.Cf, r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			fallthrough
		default:
			word = append(word, r)
		}
		last = r
	}
	flush()
	return parts
}

// base returns a verb without the ending of the third person.
func base(verb string) string {
	for _, end := range []string{"", "s", "es"} {
		if stem, ok := strings.CutSuffix(verb, end); ok && slices.Contains(writeVerbs(), stem) {
			return stem
		}
	}
	if stem, ok := strings.CutSuffix(verb, "ies"); ok {
		return stem + "y"
	}
	return verb
}

// argument returns why an argument makes a call a write; "" if it does not.
func argument(name, text string) string {
	text = clip(text, 64<<10)
	switch name {
	case "sql", "statement", "sqlquery", "query", "q", "statements", "queries":
		return statement(text, name[0] == 's')
	case "graphql", "gql", "document":
		if mutates(text) {
			return "it is a mutation"
		}
	case "method", "httpmethod", "verb", "requestmethod", "xhttpmethod", "xhttpmethodoverride", "xmethodoverride", "httpmethodoverride":
		switch verb := strings.ToUpper(strings.TrimSpace(text)); verb {
		case "POST", "PUT", "PATCH", "DELETE", "CONNECT", "MKCOL", "MOVE", "COPY", "PROPPATCH", "LOCK", "UNLOCK", "PURGE":
			return "its method is " + verb
		}
	case "command", "cmd", "shell", "bash", "commandline", "argv":
		return shell(text)
	case "script":
		if why := shell(text); why != "" {
			return why
		}
		return program(text)
	case "code", "python", "javascript", "lua", "snippet":
		return program(text)
	case "flags", "args", "arguments", "options":
		if w := words(text); strings.HasPrefix(text, "-") && len(w) > 0 && slices.Contains(writeVerbs(), w[0]) {
			return "it is called with " + clip(text, 40)
		}
	case "dryrun", "simulate", "preview", "readonly":
		if strings.EqualFold(strings.TrimSpace(text), "false") {
			return "it is no " + name
		}
	case "action", "operation", "op", "mode", "operationtype":
		w := words(text)
		if len(w) > 0 && slices.Contains(writeVerbs(), w[0]) || slices.Contains([]string{"w", "a", "wb", "w+", "r+"}, strings.TrimSpace(text)) {
			return "its " + name + " is " + clip(text, 40)
		}
	case "overwrite", "force", "delete", "write", "commit", "apply", "save", "autocommit", "confirm", "confirmed":
		if strings.EqualFold(strings.TrimSpace(text), "true") {
			return "it sets " + name
		}
	}
	return ""
}

// statement returns why SQL, or a GraphQL query, changes something. If sure, the text
// is SQL and has to begin with a word that reads.
func statement(text string, sure bool) string {
	if strings.Contains(text, "{") && mutates(text) {
		return "it is a mutation"
	}
	bare := withoutLiterals(text)
	if call := effects.FindString(bare); call != "" {
		return "it is SQL with " + strings.TrimRight(call, " \t\r\n(")
	}
	for part := range strings.SplitSeq(bare, ";") {
		w := strings.FieldsFunc(strings.ToUpper(part), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '=' })
		if len(w) == 0 {
			continue
		}
		if sure && !slices.Contains([]string{"SELECT", "WITH", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "VALUES", "TABLE", "PRAGMA", "USE", "FROM"}, w[0]) {
			return "it is SQL that begins with " + clip(w[0], 20)
		}
		if w[0] == "MUTATION" && strings.Contains(text, "{") || w[0] == "PRAGMA" && strings.Contains(part, "=") {
			return "it begins with " + strings.ToLower(w[0])
		}
		for i, word := range w {
			next := func(n int, any ...string) bool { return i+n < len(w) && slices.Contains(any, w[i+n]) }
			switch {
			case word == "DELETE" && next(1, "FROM"), (word == "INSERT" || word == "REPLACE") && next(1, "INTO", "OVERWRITE"), word == "MERGE" && next(1, "INTO"),
				word == "UPDATE" && (next(2, "SET") || next(3, "SET") || next(4, "SET")),
				i == 0 && (word == "DROP" || word == "CREATE" || word == "ALTER" || word == "TRUNCATE") &&
					next(1, "TABLE", "DATABASE", "INDEX", "VIEW", "SCHEMA", "USER", "ROLE", "FUNCTION", "TRIGGER", "OR", "UNIQUE", "TEMP", "TEMPORARY", "SEQUENCE", "COLUMN", "EXTENSION"),
				i == 0 && (word == "GRANT" || word == "REVOKE") && slices.Contains(w, "ON"),
				word == "FOR" && sure && next(1, "UPDATE", "SHARE"),
				word == "INTO" && next(1, "OUTFILE", "DUMPFILE"), w[0] == "SELECT" && word == "INTO" && slices.Contains(w[i:], "FROM"),
				i == 0 && word == "COPY" && slices.Contains(w, "FROM"):
				return "it is SQL with " + word
			}
		}
	}
	return ""
}

// effects matches functions of SQL that change something when they are selected.
var effects = regexp.MustCompile(`(?i)\b(nextval|setval|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile|pg_advisory_lock|` +
	`lo_import|lo_export|lo_unlink|lo_create|lo_put|dblink|dblink_exec|query_to_xml|set_config|xp_cmdshell|sp_executesql|load_extension|writefile|sys_exec|sys_eval)\s*\(`)

// program returns a reason if a text is code that calls something.
func program(text string) string {
	if strings.Contains(text, "(") || strings.Contains(text, "`") {
		return "it is a program"
	}
	return ""
}

// mutates reports whether GraphQL has an operation that changes something: the word
// outside of all braces, comments and strings.
func mutates(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				return false
			}
		case c == '"':
			if n := strings.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case depth <= 0 && strings.HasPrefix(text[i:], "mutation"):
			return true
		}
	}
	return false
}

// withoutLiterals returns SQL without comments and quoted text.
func withoutLiterals(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		end := 0
		switch {
		case strings.HasPrefix(rest, "--"):
			end = strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest, "*/"); n >= 0 {
				// MySQL executes these comments, so they are kept.
				if strings.HasPrefix(rest, "/*!") {
					out.WriteString(" " + strings.TrimLeft(rest[3:n], "0123456789") + " ")
				}
				end = n + 1
			} else {
				end = -1
			}
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			if n := strings.IndexByte(rest[1:], rest[0]); n >= 0 {
				end = n + 1
				out.WriteString(" x ")
			} else {
				out.WriteByte(' ')
				continue
			}
		default:
			out.WriteByte(rest[0])
			continue
		}
		if end < 0 {
			break
		}
		out.WriteByte(' ')
		i += end
	}
	return out.String()
}

// shell returns why a command changes something: it has shell operators, or begins with
// a program that writes.
func shell(text string) string {
	open := rune(0)
	for i, r := range text {
		switch {
		case open == '\'':
			if r == '\'' {
				open = 0
			}
		case r == '`', r == '$' && strings.HasPrefix(text[i:], "$("):
			return "its command runs another"
		case open == '"':
			if r == '"' {
				open = 0
			}
		case r == '\'' || r == '"':
			open = r
		case strings.ContainsRune(";|&<>\n", r):
			return fmt.Sprintf("its command has %q", r)
		}
	}
	if open != 0 {
		return "its command has an open quotation mark"
	}
	fields := strings.Fields(text)
	for len(fields) > 0 && (fields[0] == "sudo" || fields[0] == "env" || fields[0] == "nice" || strings.Contains(fields[0], "=")) {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return ""
	}
	program := fields[0][strings.LastIndexByte(fields[0], '/')+1:]
	switch program {
	case "rm", "mv", "cp", "dd", "tee", "chmod", "chown", "mkdir", "rmdir", "touch", "ln", "truncate", "kill", "pkill", "shutdown", "reboot", "sh", "bash", "zsh", "python", "python3",
		"node", "perl", "ruby", "eval", "xargs", "curl", "wget", "ssh", "scp", "rsync", "npm", "pip", "apt", "apt-get", "systemctl", "crontab", "mkfs", "install":
		return "its command runs " + program
	case "git":
		if len(fields) > 1 && slices.Contains([]string{"push", "commit", "reset", "checkout", "merge", "rebase", "clean", "rm", "mv", "add", "apply", "stash", "tag", "config", "restore", "switch"}, fields[1]) {
			return "its command runs git " + fields[1]
		}
	case "sed":
		if slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, "-i") || strings.HasPrefix(f, "--in-place") }) {
			return "its command edits in place"
		}
	case "find":
		if slices.Contains(fields, "-delete") || slices.Contains(fields, "-exec") {
			return "its command runs find with an action"
		}
	}
	return ""
}
