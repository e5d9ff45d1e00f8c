package beside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"evolve/gates/beside/harness"
)

// compareFiles compares two versions of a one-file package. It uses no sandbox, because the
// code in testdata is harmless.
func compareFiles(t *testing.T, base, candidate []byte) Outcome {
	t.Helper()
	dir := t.TempDir()
	p := NewPlan(Package{
		Dir: ".", Path: "example.org/p",
		Base: map[string][]byte{"p.go": base}, Candidate: map[string][]byte{"p.go": candidate},
	}, Words{Variable: "QUICKLY", Test: "zzbeside", Key: "k3y"})
	binaries := map[Side]string{}
	for side, text := range map[Side][]byte{Base: base, Candidate: candidate} {
		root := filepath.Join(dir, fmt.Sprint(side))
		files, err := p.Files()
		if err != nil {
			t.Fatal(err)
		}
		files["p.go"], files["go.mod"] = text, []byte("module example.org/p\n\ngo 1.24\n")
		for name, text := range files {
			to := filepath.Join(root, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		binaries[side] = filepath.Join(dir, fmt.Sprint("harness", int(side)))
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-vet=off", "-ldflags=-s -w", "-o", binaries[side], ".")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	out, err := p.Compare(t.Context(), func(ctx context.Context, side Side, script string) (report, printed []byte, err error) {
		name := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return nil, nil, err
		}
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"HARNESS=" + binaries[side], "REPORT=" + name, "TMPDIR=" + t.TempDir()}
		if printed, err = cmd.Output(); err != nil {
			return nil, nil, err
		}
		report, err = os.ReadFile(name)
		return report, printed, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func versions(t *testing.T, name string) (base, candidate []byte) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		switch f.Name {
		case "base.go":
			base = f.Data
		case "candidate.go":
			candidate = f.Data
		}
	}
	return base, candidate
}

// TestCaught checks that each class of change in behaviour is found, with an input that
// shows it.
func TestCaught(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"caught.txtar", "guarded.txtar"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught(t, name)
		})
	}
}

// caught checks that there is a difference in each function of the base that a comment
// names.
func caught(t *testing.T, name string) {
	t.Helper()
	base, candidate := versions(t, name)
	out := compareFiles(t, base, candidate)
	for _, m := range regexp.MustCompile(`// want: (\S+)`).FindAllSubmatch(base, -1) {
		if !slices.ContainsFunc(slices.Concat(out.Different, out.Slight), func(d Difference) bool { return strings.Contains(d.Input, string(m[1])) }) {
			t.Errorf("%s: no difference", m[1])
		}
	}
	for _, d := range out.Different {
		t.Log(d)
	}
	for _, r := range slices.Concat(out.Left, out.Unsteady) {
		t.Errorf("not compared: %v", r)
	}
	t.Log(out.Functions, out.Inputs)
}

// TestHonest checks that equal behaviour shows no difference, and that results that vary
// between runs are named and not compared.
func TestHonest(t *testing.T) {
	t.Parallel()
	base, candidate := versions(t, "honest.txtar")
	out := compareFiles(t, base, candidate)
	for _, d := range out.Different {
		t.Error(d)
	}
	for _, d := range out.Slight {
		t.Log("slight:", d)
	}
	var left, unsteady []string
	for _, r := range out.Left {
		left = append(left, r.Function+": "+r.Why)
	}
	for _, r := range out.Unsteady {
		unsteady = append(unsteady, r.Function)
	}
	if !slices.Equal(left, []string{"Done: it takes a chan int"}) {
		t.Error(left)
	}
	for _, name := range []string{"Keys", "Now", "Luck", "Address"} {
		if !slices.Contains(unsteady, name) {
			t.Errorf("%s is not unsteady: %q", name, unsteady)
		}
	}
	t.Log(out.Functions, out.Inputs, unsteady)
}

// TestHostile checks that a call that ends the process or its goroutine, hangs or recurses
// without end is a difference, and does not stop the comparison of other functions.
func TestHostile(t *testing.T) {
	t.Parallel()
	base, candidate := versions(t, "hostile.txtar")
	out := compareFiles(t, base, candidate)
	for _, name := range []string{"Ends(", "EndsAsIfDone(", "EndsGoroutine(", "Hangs(", "Overflows(", "Unharmed("} {
		if !slices.ContainsFunc(out.Different, func(d Difference) bool { return strings.HasPrefix(d.Input, name) }) {
			t.Errorf("%s: no difference", name)
		}
	}
	for _, d := range out.Different {
		t.Log(d)
	}
}

// TestSeals checks that a report counts only up to the first line that the harness did not
// write at that position.
func TestSeals(t *testing.T) {
	t.Parallel()
	const key = "k3y"
	line := func(n, input int, key string) string {
		text := fmt.Sprintf(`{"f":0,"i":%d,"k":"result","n":["result"],"p":["1"]}`, input)
		return text + "\t" + harness.Seal(key, n, []byte(text)) + "\n"
	}
	good := line(0, 0, key) + line(1, 1, key)
	for name, c := range map[string]struct {
		report string
		inputs int
		broken bool
	}{
		"as written":      {good, 2, false},
		"another key":     {line(0, 0, key) + line(1, 1, "other"), 1, true},
		"changed":         {strings.Replace(good, `"p":["1"]`, `"p":["2"]`, 1), 0, true},
		"a line again":    {good + line(1, 1, key), 2, true},
		"a line missing":  {line(1, 1, key), 0, true},
		"without a seal":  {good + "{}\n", 2, true},
		"torn at the end": {good + line(2, 2, key)[:20], 2, false},
		"empty":           {"", 0, false},
	} {
		r := readReport(key, []byte(c.report))
		inputs := 0
		if f := r.functions[0]; f != nil {
			inputs = len(f.inputs)
		}
		if inputs != c.inputs || r.broken != c.broken {
			t.Errorf("%s: %d inputs, broken %t", name, inputs, r.broken)
		}
	}
}

// TestSame checks the degree of difference between two written values.
func TestSame(t *testing.T) {
	t.Parallel()
	mark := func(kind, text string) string { return harness.Open + kind + text + harness.Close }
	for name, c := range map[string]struct {
		a, b string
		want difference
	}{
		"equal":             {`"a"`, `"a"`, none},
		"other text":        {`"a"`, `"b"`, real},
		"close numbers":     {mark(harness.Float, "0.3"), mark(harness.Float, "0.30000000000000004"), none},
		"other numbers":     {mark(harness.Float, "0.3"), mark(harness.Float, "0.3001"), real},
		"no number":         {mark(harness.Float, "NaN"), mark(harness.Float, "0"), real},
		"the same infinity": {mark(harness.Float, "+Inf") + " a", mark(harness.Float, "+Inf") + " a", none},
		"nil and empty":     {mark(harness.Empty, "nil"), mark(harness.Empty, "[]"), slight},
		"another message":   {"error{" + mark(harness.Message, "a") + "}", "error{" + mark(harness.Message, "b") + "}", wording},
		"a lost sentinel":   {"error{" + mark(harness.Message, "a") + " is ErrX}", "error{" + mark(harness.Message, "a") + "}", real},
		"wraps more":        {mark(harness.Wrapped, ""), mark(harness.Wrapped, " of strconv.NumError"), wording},
		"wraps less":        {mark(harness.Wrapped, " of fs.PathError of syscall.Errno"), mark(harness.Wrapped, " of syscall.Errno"), real},
		"wraps another":     {mark(harness.Wrapped, " of fs.PathError"), mark(harness.Wrapped, " of strconv.NumError"), real},
		"no error":          {"error{" + mark(harness.Message, "a") + "}", "nil", real},
	} {
		if got := compareParts(c.a, c.b); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
