package tuning

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/gobench"
	"evolve/gates/gotest"
	"evolve/gates/review"
	"evolve/mutate"
	"evolve/mutate/constants"
	"evolve/patch/scope"
	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init() // this binary also runs inside the sandbox
	os.Exit(m.Run())
}

// source copies data in chunks. The fixed cost of a chunk makes the largest size the best.
// A size of 256 breaks a test, and a size of 4 does not build.
const source = `package work

// chunk is how many bytes are copied at once.
const chunk = 16 //evolve:param min=4 max=1024 log step=4

var table [chunk - 15]int // too small a piece does not build

// Work is the cost of copying size bytes.
func Work(size int) int {
	cost := len(table)*0 + chunk
	for at := 0; at < size; at += chunk {
		cost += 16 + min(chunk, size-at)
	}
	return cost
}
`

const tests = `package work

import "testing"

func TestChunk(t *testing.T) {
	if chunk == 256 {
		t.Fatal("no")
	}
}

func BenchmarkWork(b *testing.B) {
	work := 0
	for b.Loop() {
		work += Work(10_000)
	}
	b.ReportMetric(float64(work)/float64(b.N), "work/op")
	b.ReportMetric(1, "ns/op") // the time of a busy machine would veto a gain
}
`

// newReviewer returns a reviewer with one target that has the given files, in a real
// repository.
func newReviewer(t *testing.T, files map[string]string, b review.Benchmark) *review.Reviewer {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	root, scratch := t.TempDir(), t.TempDir()
	for path, text := range files {
		full := filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	d := &review.Reviewer{
		Archive: review.Opened(archive.OpenMemory()), Scratch: scratch, Now: time.Now,
		// The standard library is compiled once for all tests that share the folder.
		Cache:   filepath.Join(os.TempDir(), fmt.Sprintf("evolve-test-caches-%d", os.Getuid()), "evolve", "patches"),
		Sandbox: sync.OnceValue(func() sandbox.Sandbox { return sandbox.Detect(t.Context()) }),
		Targets: []review.Target{{Name: "code", Repo: root, Named: true, Policy: scope.Policy{Allow: []string{"work"}}, Benchmark: &b}},
		Env:     []string{"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	if d.Sandbox().Err() != nil {
		d.Unsandboxed = true
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "start"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = root, d.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return d
}

func module(source string) map[string]string {
	return map[string]string{"go.mod": "module example.org/work\n\ngo 1.24\n", "work/work.go": source, "work/work_test.go": tests}
}

func counted(tune int) review.Benchmark {
	return review.Benchmark{Packages: []string{"./work"}, Pattern: ".", Count: 6, Metric: "work/op", Better: "lower", Tune: tune}
}

func onward() error { return nil }

func tune(t *testing.T, d *review.Reviewer, proceed func() error) (Outcome, error) {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles a module many times")
	}
	p, err := Look(d, d.Targets[0])
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	return p.Tune(t.Context(), Options{Reviewer: d, Seed: 1, Proceed: proceed})
}

// TestTune checks that the best of the sizes that build and pass their test is found and
// proven, and that the diff is accepted.
func TestTune(t *testing.T) {
	d := newReviewer(t, module(source), counted(12))
	out, err := tune(t, d, onward)
	if err != nil {
		t.Fatal(err)
	}
	s := out.Submission
	if s == nil || !strings.Contains(s.Diff, "+const chunk = 1024 //evolve:param") || !strings.Contains(s.Gain, "better by") || s.Origin != review.OriginConstants {
		t.Fatalf("%+v %+v", out, s)
	}
	if out.Runs > 12+2*3*6 || !out.Settled || strings.Contains(s.Diff, "chunk = 256") {
		t.Errorf("%+v", out)
	}
	if why, err := d.Precheck(*s); why != "" || err != nil {
		t.Error(why, err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.Scratch, "tuning", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// ownBench calculates the cost of copying 10,000 bytes plus the cost of the table. It
// does not run Go.
const ownBench = `chunk=$(sed -n 's/^const chunk = \([0-9]*\).*/\1/p' work/work.go)
pieces=$(( (10000 + chunk - 1) / chunk ))
echo "BenchmarkCopy $pieces $(( chunk + 16 * pieces + 10000 )) work/op"
`

// TestCommand tunes by the results of a command. The tests must pass, and only the
// command's confirmation is reported.
func TestCommand(t *testing.T) {
	files := module(source)
	files["bench.sh"] = ownBench
	own := review.Benchmark{Command: []string{"sh", "bench.sh"}, Count: 6, Metric: "work/op", Better: "lower", Tune: 9}
	d := newReviewer(t, files, own)
	out, err := tune(t, d, onward)
	if err != nil {
		t.Fatal(err)
	}
	s := out.Submission
	if s == nil || !strings.Contains(s.Diff, "+const chunk = 1024 //evolve:param") || !strings.HasPrefix(s.Gain, "according to the command sh bench.sh: BenchmarkCopy: work/op better by") {
		t.Fatalf("%+v %+v", out, s)
	}
	if out.Runs > 9+3*6 || strings.Contains(s.Diff, "bench.sh") {
		t.Errorf("%+v", out)
	}
}

// TestRepeats checks that a second run of a config measures that config, although the whole
// search shares one tree in which another config was written in the meantime.
func TestRepeats(t *testing.T) {
	files := module(source)
	files["bench.sh"] = ownBench
	d := newReviewer(t, files, review.Benchmark{Command: []string{"sh", "bench.sh"}, Count: 6, Metric: "work/op", Better: "lower", Tune: 20})
	if testing.Short() {
		t.Skip("it runs the toolchain")
	}
	p, err := Look(d, d.Targets[0])
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	tools, err := gotest.FindToolchain(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	s := &search{
		Options: Options{Reviewer: d, Seed: 1, Proceed: onward}, Prospect: p, ref: d.Runner(d.Targets[0], tools, folder), rule: d.Targets[0].Benchmark.Rule(),
		work: filepath.Join(folder, "work"), candidates: map[agent.ConfigID]*candidate{}, left: 20,
	}
	if err := p.ground.Export(t.Context(), s.work); err != nil {
		t.Fatal(err)
	}
	_, now := constants.Space(p.Constants)
	base, err := s.base(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := gobench.NewReference(base, s.rule)
	if err != nil {
		t.Fatal(err)
	}
	one, other := agent.Config{"chunk": int64(2)}, agent.Config{"chunk": int64(4)} // in steps of 4, starting at 4
	score := func(c agent.Config, repeat int) float64 {
		t.Helper()
		v, err := s.score(t.Context(), ref, mutate.Trial{Variant: c.ID(), Config: c, Task: ref.Benchmarks()[0], Repeat: repeat})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first, between, second := score(one, 0), score(other, 0), score(one, 1)
	if first != second || first == between {
		t.Errorf("%v, %v of another, and then %v", first, between, second)
	}
}

// TestMarkInTheMeasure checks that constants in the measuring code are not tuned.
func TestMarkInTheMeasure(t *testing.T) {
	b := counted(8)
	b.Command, b.Packages, b.Pattern = []string{"go", "run", "work/work.go"}, nil, ""
	d := newReviewer(t, module(source), b)
	p, err := Look(d, d.Targets[0])
	if err != nil || p == nil || p.Problem != "a constant in work/work.go cannot be marked, because the command that measures the constants names this file" {
		t.Errorf("%+v %v", p, err)
	}
}

// TestBadCommand checks that if a command has no valid results for the unchanged code, this
// is reported and does not fail the night.
func TestBadCommand(t *testing.T) {
	files := module(source)
	files["bench.sh"] = "echo BenchmarkCopy 1 NaN work/op\n"
	out, err := tune(t, newReviewer(t, files, review.Benchmark{Command: []string{"sh", "bench.sh"}, Count: 6, Metric: "work/op", Better: "lower", Tune: 9}), onward)
	if err != nil || out.Submission != nil || out.Settled || !strings.Contains(out.Text, `cannot be measured: sh: line 1: "BenchmarkCopy" has NaN work/op`) {
		t.Fatalf("%+v %v", out, err)
	}
}

// TestNothingBetter checks that no value is proposed for a constant that has no effect.
func TestNothingBetter(t *testing.T) {
	idle := strings.Replace(source, "cost += 16 + min(chunk, size-at)", "cost += chunk", 1)
	idle = strings.Replace(idle, "len(table)*0 + chunk", "0*len(table) + 1", 1)
	idle = strings.Replace(idle, "at += chunk", "at += 1000 + 0*chunk", 1)
	idle = strings.Replace(idle, "cost += chunk", "cost += 1000 + 0*chunk", 1)
	out, err := tune(t, newReviewer(t, module(idle), counted(8)), onward)
	if err != nil || out.Submission != nil || !out.Settled || !strings.Contains(out.Text, "configs of chunk tried") {
		t.Fatalf("%+v %v", out, err)
	}
}

// TestBrokenBase checks that a target whose unchanged code cannot be measured is not
// searched and does not fail the night.
func TestBrokenBase(t *testing.T) {
	files := module(source)
	files["work/work_test.go"] = strings.Replace(tests, "chunk == 256", "chunk == 16", 1)
	out, err := tune(t, newReviewer(t, files, counted(8)), onward)
	if err != nil || out.Submission != nil || out.Settled || out.Runs != 0 || !strings.Contains(out.Text, "cannot be measured") {
		t.Fatalf("%+v %v", out, err)
	}
}

// TestProceed checks that an error from Proceed ends the search before the next run.
func TestProceed(t *testing.T) {
	stop := errors.New("stop")
	runs := 0
	out, err := tune(t, newReviewer(t, module(source), counted(8)), func() error {
		if runs++; runs > 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || out.Submission != nil || out.Runs > 3 {
		t.Fatalf("%+v %v", out, err)
	}
}

func TestLook(t *testing.T) {
	for name, c := range map[string]struct {
		source    string
		tune      int
		constants int
		problem   string
		none      bool
	}{
		"a mark":                  {source: source, tune: 8, constants: 1},
		"no mark":                 {source: "package work\n\nconst chunk = 16\n", tune: 8, none: true},
		"no runs":                 {source: source, tune: 0, none: true},
		"too few runs":            {source: source, tune: baseRuns, constants: 1, problem: "3 runs are too few"},
		"a mark at a variable":    {source: "package work\n\nvar chunk = 16 //evolve:param min=1 max=20\n", tune: 8, problem: "work/work.go:3"},
		"a mark outside of scope": {source: "package work\n", tune: 8, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			files := module(c.source)
			files["other/other.go"] = strings.Replace(source, "package work", "package other", 1)
			d := newReviewer(t, files, counted(c.tune))
			p, err := Look(d, d.Targets[0])
			if err != nil || (p == nil) != c.none {
				t.Fatalf("%+v %v", p, err)
			}
			if p != nil && (len(p.Constants) != c.constants || !strings.Contains(p.Problem, c.problem) || (p.Problem == "") != (c.problem == "")) {
				t.Errorf("%+v", p)
			}
		})
	}
}
