package cli

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/exit"
)

func TestFail(t *testing.T) {
	for _, tt := range []struct {
		name string
		json bool
		err  error
		want string
		code int
	}{
		{"plain", false, exit.Errorf(2, "do", "it \x1b[31mhappened"), "error: it \\x1b[31mhappened\nhint: do\n", 2},
		{"lines", false, errors.New("one\ntwo\n"), "error: one\n       two\n", 1},
		{"object", true, exit.Errorf(2, "do", "it <happened>"), `{"error":"it \u003chappened\u003e","hint":"do","exit":2}` + "\n", 2},
		{"object without hint", true, errors.New("x"), `{"error":"x","exit":1}` + "\n", 1},
		{"said already", false, exit.Silent(6), "", 6},
		{"the reader closed the pipe", false, syscall.EPIPE, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			sh := &console{stderr: &stderr, json: tt.json}
			code := sh.fail(tt.err)
			if diff := cmp.Diff(tt.want, stderr.String()); diff != "" || code != tt.code {
				t.Errorf("exit %d, want %d\n%s", code, tt.code, diff)
			}
		})
	}
}

// TestFailIsShort checks that a message shortens the untrusted input that it repeats.
func TestFailIsShort(t *testing.T) {
	long := strings.Repeat("k", 1<<20)
	for _, asJSON := range []bool{false, true} {
		var stderr bytes.Buffer
		sh := &console{stderr: &stderr, json: asJSON}
		sh.fail(exit.Errorf(2, "did you mean "+long, "reading x.jsonl: unknown field %q: %s", long, "the end"))
		if text := stderr.String(); len(text) > 5000 || !strings.Contains(text, "reading x.jsonl") || !strings.Contains(text, "the end") {
			t.Errorf("%d bytes: %.200s", len(text), text)
		}
	}
}

// TestConfirm checks which answers continue and which stop, and that after any other answer
// the question is asked again with the accepted answers.
func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		typed     string
		yes, told bool
	}{
		{"y\n", true, false},
		{"Y\n", true, false},
		{"yes\n", true, false},
		{" YES \n", true, false},
		{"yes", true, false},
		{"n\n", false, false},
		{"No\n", false, false},
		{"\n", false, false},
		{"", false, false},
		{"yep\ny\n", true, true},
		{"what?\nn\n", false, true},
		{"ok", false, true},
	} {
		var out bytes.Buffer
		who := &person{bufio.NewReader(strings.NewReader(c.typed)), &out}
		err := who.confirm(t.Context(), "done")
		if (err == nil) != c.yes || strings.Contains(out.String(), "is neither yes nor no: type y or yes") != c.told {
			t.Errorf("%q: %v\n%s", c.typed, err, out.String())
		}
	}
}
