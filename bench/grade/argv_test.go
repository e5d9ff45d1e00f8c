package grade

import (
	"encoding/json"
	"slices"
	"testing"

	"evolve/bench"
)

func TestArgv(t *testing.T) {
	for text, want := range map[string][]string{
		`{"type":"command","argv":["python3","check.py"]}`: {"python3", "check.py"},
		`{"type":"command","argv":[]}`:                     nil,
		`{"type":"command","argv":"sh"}`:                   nil,
		`{"type":"exact","argv":["sh"]}`:                   nil,
	} {
		var spec bench.GraderSpec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
		if argv, is := Argv(spec); is != (want != nil) || !slices.Equal(argv, want) {
			t.Errorf("%s: %q", text, argv)
		}
	}
}

func TestScript(t *testing.T) {
	for want, argvs := range map[string][][]string{
		"check.py": {{"python3", "check.py"}, {"/usr/bin/python3.12", "check.py", "-v"}, {"sh", "check.py"}},
		"":         {{"python3", "-m", "check"}, {"sh", "-c", "exit 0"}, {"./check", "a"}, {"grep", "a.txt"}, {"python3"}, {"sh", ""}},
	} {
		for _, argv := range argvs {
			if got := Script(argv); got != want {
				t.Errorf("%q: %q", argv, got)
			}
		}
	}
}
