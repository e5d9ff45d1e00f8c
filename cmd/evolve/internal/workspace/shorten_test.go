package workspace

import (
	"strings"
	"testing"
)

// TestLongNames checks that messages do not repeat long names and values in full.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 1<<20)
	for name, files := range map[string]map[string]string{
		"a key of the settings":   {"evolve.yaml": "? " + long + "\n: 1\n"},
		"a value of the settings": {"evolve.yaml": "search: {selection: " + long + "}\n"},
		"a section's key":         {"evolve.yaml": "budget:\n  ? " + long + "\n  : 1\n"},
		"a key of an agent":       {"agents/solver/agent.yaml": goodHead + "? " + long + "\n: 1\n"},
		"a parameter":             {"agents/solver/agent.yaml": goodHead + "space:\n  ? " + long + "\n  : {type: flaot}\n"},
		"a suite's name":          {"agents/solver/agent.yaml": "id: solver\nadapter: {kind: command, argv: [./a.sh]}\nsuites: [" + long + "]\n"},
		"a key of a task":         {"suites/tasks.jsonl": `{"id":"t1","goal":"a","answer":"a","` + long + `":1}` + "\n"},
		"a task's id":             {"suites/tasks.jsonl": `{"id":"` + long + `","goal":"a"}` + "\n" + `{"id":"` + long + `","goal":"a"}` + "\n"},
		"a champion's key":        {"agents/solver/config.yaml": "? " + long + "\n: 1\n"},
		"no YAML":                 {"evolve.yaml": "a: [" + long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(build(t, spoil(files)), testBuiltins())
			if err == nil {
				t.Fatal("it was taken")
			}
			if n := len(err.Error()); n > 10_000 {
				t.Errorf("the message has %d bytes", n)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"12345678", "12345678"},
		{"ÄÖÜäöüßé", "ÄÖÜäöüßé"},
		{"123456789", "123456 … (1 characters left out) … 89"},
		{"", ""},
	} {
		if got := Shorten(c.text, 8); got != c.want {
			t.Errorf("%q becomes %q", c.text, got)
		}
	}
}
