package gotest

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"evolve/runtime/sandbox"
)

// runOptions are the options for one run of a package's tests.
type runOptions struct {
	// word is part of the settings of the run; only the code that the gates add
	// interprets it.
	word string
	// verbose makes the run print the results of all tests and subtests.
	verbose bool
	// disguised runs the tests under a name that is not the name of a test binary, from
	// another path to the same folder, and without any flags.
	disguised bool
	// placed means that the tests stay in their usual folder even in a disguised run.
	placed bool
	// only is the name of the only test to run, skip matches the tests to skip, and first
	// stops the run at the first failure.
	only, skip string
	first      bool
	// patience is a wall-clock time limit shorter than the usual one; 0 means the usual
	// limit.
	patience time.Duration
}

// run is the result of running the tests of a package once.
type run struct {
	exit sandbox.Exit
	// late reports whether the tests were ended by the time limit, and flooded reports
	// whether they exceeded the output limit.
	late, flooded bool
	// words holds the words that were reported.
	words map[string]bool
	// shown holds the results that a verbose run printed, by test: PASS, FAIL or SKIP.
	shown map[string]string
	// race is the position of the first race; "" if there was none.
	race string
	// tail is the end of the output, preceded by a colon; "" if there was no output.
	tail string
}

// clean reports whether the process ended by itself with exit code 0.
func (r run) clean() bool {
	return !r.late && !r.flooded && r.exit.Reason == sandbox.Own && r.exit.Signal == 0 && r.exit.Code == 0
}

// ended describes how a process ended.
func (r run) ended() string {
	switch {
	case r.late:
		return "did not finish in time"
	case r.flooded:
		return "exceeded the output limit"
	}
	if r.exit.Reason != sandbox.Own {
		return "was ended (" + ending(r.exit) + ")"
	}
	return "ended with " + ending(r.exit)
}

// results matches the result of a test in verbose output. Each result is preceded by a
// control character that tests do not print by accident.
var results = regexp.MustCompile(`(?m)\x16--- (PASS|FAIL|SKIP): (\S+) \(`)

// run runs the compiled tests of a package once, in a sandbox that contains only the tree
// and the toolchain.
func (k *testBinaries) run(ctx context.Context, m *nonces, p *pkg, h runOptions) (run, error) {
	lab, s := k.env.lab, k.env.spec(p.module, false)
	binary, dir, name := k.binary(p), k.env.at(p.dir), m.word()
	report := filepath.Join(k.temp, name)
	if err := os.WriteFile(report, nil, 0o600); err != nil {
		return run{}, err
	}
	defer func() { _ = os.Remove(report) }()
	seen := report
	if lab.sandboxed() {
		seen = "/" + name
		at := "/binaries/" + filepath.Base(binary)
		if h.disguised {
			at = "/" + m.word() + "/" + m.word()
		}
		if h.disguised && !h.placed {
			other := "/" + m.word()
			s.Shown = append(s.Shown, sandbox.Shown{Source: k.env.tree, Path: other})
			if lab.layered() {
				s.Shown = s.Shown[:len(s.Shown)-1]
				s.Layers = append(s.Layers, sandbox.Layer{Lower: k.env.tree, Path: other, Size: int64(k.env.limits.Memory) / 2})
			}
			dir = path.Join(other, p.dir)
		}
		s.Shown = append(s.Shown, sandbox.Shown{Source: report, Path: seen, Writable: true}, sandbox.Shown{Source: binary, Path: at})
		binary = at
	} else if h.disguised {
		other := filepath.Join(k.temp, m.word())
		if err := os.Link(binary, other); err != nil {
			return run{}, err
		}
		defer func() { _ = os.Remove(other) }()
		binary = other
	}
	if m.err != nil {
		return run{}, m.err
	}
	s.Dir, s.Argv = dir, append([]string{binary}, h.flags(k.env)...)
	s.Env = append(s.Env, "PWD="+dir, k.variable+"="+h.word+":"+seen)
	bound := k.env.limits.Tests
	if h.patience > 0 {
		bound = min(bound, h.patience)
	}
	timed, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	exit, out, err := lab.Sandbox.Run(timed, s, nil, k.env.limits.Output)
	r := run{exit: exit, flooded: out.Truncated, words: map[string]bool{}, shown: map[string]string{}}
	if r.late = ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded); err != nil && !r.late {
		return r, err
	}
	text, more, err := reported(report, mostReported)
	if err != nil {
		return r, err
	}
	for _, w := range strings.Fields(text) {
		r.words[w] = true
	}
	r.flooded = r.flooded || more
	for _, found := range results.FindAllSubmatch(out.Stdout, -1) {
		r.shown[string(found[2])] = string(found[1])
	}
	if k.env.race {
		r.race = raced(string(out.Stdout)+"\n"+string(out.Stderr), k.env.at("."))
	}
	r.tail = tail(string(out.Stdout)+"\n"+string(out.Stderr), k.marked[p.path].added(p))
	return r, nil
}

// mostReported is the number of bytes that are read from the reports of one run: enough for
// two words for each of a hundred thousand tests.
const mostReported = 4 << 20

// reported reads a file that a command wrote, such as the report of a run, up to the
// given number of bytes (most). The length is limited because the code under test can
// write to the file. more reports whether the file is longer.
func reported(name string, most int64) (words string, more bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	return string(text), int64(len(text)) > most, err
}

// flags returns the arguments for a test binary.
func (h runOptions) flags(r goEnv) []string {
	if h.disguised {
		return nil
	}
	out := []string{"-test.paniconexit0", "-test.timeout=" + (r.limits.Tests - r.limits.Tests/20).String()}
	if h.verbose {
		out = append(out, "-test.v=test2json")
	}
	if h.first {
		out = append(out, "-test.failfast")
	}
	if h.skip != "" {
		out = append(out, "-test.skip="+h.skip)
	}
	if h.only != "" {
		out = append(out, "-test.run=^"+h.only+"$")
	}
	return out
}

// added returns the names of the things that the gates added to a package: the canary test
// and the added files.
func (s markedTests) added(p *pkg) []string {
	out := []string{s.canary}
	for file := range s.files {
		if name := path.Base(file); !slices.Contains(p.tests, name) {
			out = append(out, name)
		}
	}
	return out
}

// tail returns the end of the output that the tests themselves printed. It omits lines
// printed by the testing package, because the verdict names the tests that did not pass,
// and lines that name what the gates added.
func tail(text string, added []string) string {
	const most = 400
	var kept []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\x16", "\n")) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line == "PASS", line == "FAIL", strings.HasPrefix(line, "=== "), strings.HasPrefix(line, "--- "):
		case slices.ContainsFunc(added, func(name string) bool { return strings.Contains(line, name) }):
		default:
			kept = append(kept, line)
		}
	}
	end := strings.Join(kept, "\n")
	if len(end) > most {
		end = end[len(end)-most:]
	}
	if end == "" {
		return ""
	}
	return ": " + oneLine(end)
}
