package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
)

// firstKey matches a block that begins with a YAML key.
var firstKey = regexp.MustCompile(`^\s*(?:- )?([a-z_]+):(?: |\n|$)`)

// otherYAML describes the YAML examples that are not files of a workspace. It maps the
// first key of each example to a description of the example, which names the test that
// checks the example if there is such a test.
var otherYAML = map[string]string{
	"groups": "rules of Prometheus: TestMetricsChapter",
	"run":    "a step of GitHub Actions",
	"error":  "a message of evolve: the script troubleshooting",
}

// sketches are the beginnings of blocks that describe the form of an object and are not
// JSON.
var sketches = []string{
	`{"id", "task"`, `{"id", "answer"`, `"refer": `, `{"version":1, "proposal"`, `{"version":1, "id"`,
	`{"task": the line`, `"user": `, `{"task": "leave-1"`,
	`{"case": `, `{"error":`, // printed by programs: see the help topics code and exit-codes
}

// propertiesOf returns the top-level keys of a JSON schema.
func propertiesOf(t *testing.T, schema []byte) map[string]any {
	t.Helper()
	var s struct{ Properties map[string]any }
	if err := json.Unmarshal(schema, &s); err != nil || len(s.Properties) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	return s.Properties
}

// TestChaptersShowKeysThatExist puts every example of evolve.yaml, agent.yaml and a suite
// in the manual into a workspace and checks that the example is read and has no unknown
// keys. Anything that an example lacks to be complete does not count as a mistake.
func TestChaptersShowKeysThatExist(t *testing.T) {
	t.Parallel()
	settings, agent := propertiesOf(t, workspace.SettingsSchema()), propertiesOf(t, workspace.AgentSchema())
	n := 0
	for _, topic := range topics {
		for _, block := range indentedBlocks(chapterText(t, topic.name)) {
			block, _, _ = strings.Cut(block, "\n\n") // the example may be followed by a list that explains it
			file, text := "", block
			m := firstKey.FindStringSubmatch(block)
			switch {
			case strings.HasPrefix(strings.TrimSpace(block), "- name:"), strings.HasPrefix(strings.TrimSpace(block), "- {name:"):
				indent := block[:len(block)-len(strings.TrimLeft(block, " "))]
				file, text = workspace.SettingsFile, "patches:\n  targets:\n    "+strings.ReplaceAll(block[len(indent):], "\n"+indent, "\n    ")
			case strings.HasPrefix(strings.TrimSpace(block), "benchmark:"):
				file, text = workspace.SettingsFile, "patches:\n  targets:\n    - name: code\n      repo: ../code\n      allow: [a]\n      "+strings.TrimSpace(block)
			case m != nil && otherYAML[m[1]] != "":
			case m != nil && settings[m[1]] != nil:
				file = workspace.SettingsFile
			case m != nil && agent[m[1]] != nil:
				file = "agents/aide/agent.yaml"
			case m != nil:
				t.Errorf("%s: no file has the key %s:\n%s", topic.name, m[1], block)
			case sketched(block):
			case strings.HasPrefix(block, `{"type": `):
				file, text = "suites/depots.jsonl", `{"id": "x", "goal": "y", "answer": "z", "graders": [`+strings.Join(objects(t, block), ", ")+"]}\n"
			case strings.HasPrefix(block, "{"):
				file, text = "suites/depots.jsonl", strings.Join(objects(t, block), "\n")+"\n"
			}
			if file == "" {
				continue
			}
			n++
			if faults := unread(t, file, text); len(faults) > 0 {
				t.Errorf("%s: %s\n%s", topic.name, strings.Join(faults, "\n"), block)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d examples were found", n)
	}
}

// sketched reports whether a block describes the form of an object.
func sketched(block string) bool {
	for _, s := range sketches {
		if strings.HasPrefix(block, s) {
			return true
		}
	}
	return false
}

// objects returns the JSON objects in a block, each on one line.
func objects(t *testing.T, block string) []string {
	t.Helper()
	var lines []string
	for d := json.NewDecoder(strings.NewReader(block)); d.More(); {
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			t.Errorf("%v:\n%s", err, block)
			break
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	return lines
}

// unread lists what the parser does not accept in a file: keys that do not exist, and text
// that it cannot parse.
func unread(t *testing.T, file, text string) []string {
	t.Helper()
	root := t.TempDir()
	if err := fixture.Workspace(root, "tiny"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var faults []string
	if _, err := wire.Load(root); err != nil {
		for line := range strings.Lines(err.Error()) {
			if strings.Contains(line, "unknown") || strings.Contains(line, "not valid") || strings.Contains(line, "must be") {
				faults = append(faults, strings.TrimSpace(line))
			}
		}
	}
	return faults
}
