package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/cmd/evolve/internal/cli/clitest/fixture"
)

// TestOwnCodeBeatsEveryConfig searches the code and the config of an agent together,
// approves what the night proposes, and scores the agent on tasks that no night used. The
// test compares the score with that of the best of all configs under the original code,
// which no search over configs can exceed, however much it spends.
func TestOwnCodeBeatsEveryConfig(t *testing.T) {
	needsPython(t)
	t.Parallel()
	bound, sum := 0., 0.
	const seeds = 3
	for seed := 1; seed <= seeds; seed++ {
		w := newRouted(t)
		if bound == 0 {
			for depth := 1; depth <= 8; depth++ {
				for _, style := range []string{"plain", "careful"} {
					bound = max(bound, w.fresh(map[string]any{"depth": depth, "style": style}))
				}
			}
		}
		w.evolve("run", "--seed", fmt.Sprint(seed))
		w.evolve("approve", "P1", "--yes", "--by", "Ada <ada@example.org>", "--override-reason", "a test")
		config := map[string]any{}
		data, err := os.ReadFile(filepath.Join(w.root, "agents", "solver", "config.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(name, "#") {
				if config[name] = value; name == "depth" {
					config[name] = json.Number(value)
				}
			}
		}
		score := w.fresh(config)
		t.Logf("seed %d, 600 evaluations: %.3f of 400 fresh tasks, the best config alone %.3f", seed, score, bound)
		if sum += score / seeds; score < bound {
			t.Errorf("seed %d: %.3f of fresh tasks, less than the best config alone", seed, score)
		}
	}
	if sum < bound+.03 {
		t.Errorf("on average %.3f of fresh tasks, the best config alone %.3f", sum, bound)
	}
}

// TestOneDiffOfCodeAndConfig checks that `evolve code show` shows the same diff as the
// proposal made from a version, even if a person wrote the config in a different order
// and with a comment.
func TestOneDiffOfCodeAndConfig(t *testing.T) {
	needsPython(t)
	t.Parallel()
	w := newRouted(t, "printf '# by hand\\nstyle: plain\\ndepth: 1\\n' > agents/solver/config.yaml")
	w.on(0, "run", "--seed", "1")
	var patch struct{ Diff string }
	if err := json.Unmarshal([]byte(w.on(0, "patch", "show", "P1", "--json")), &patch); err != nil {
		t.Fatal(err)
	}
	var code struct {
		Best struct {
			Proposal string
			Variant  string
		}
		Version struct{ Diff string }
	}
	for _, args := range [][]string{{"code", "show", "router", "--json"}, {"code", "show", "router", "", "--json"}} {
		if len(args) == 5 {
			args[3] = code.Best.Variant
		}
		if err := json.Unmarshal([]byte(w.on(0, args...)), &code); err != nil {
			t.Fatal(err)
		}
	}
	if code.Best.Proposal != "P1" || !strings.Contains(patch.Diff, "-# by hand") {
		t.Fatalf("the night shows nothing: the best version is %+v, and the diff of P1\n%s", code.Best, patch.Diff)
	}
	if code.Version.Diff != patch.Diff {
		t.Errorf("evolve code show has\n%s\nand the proposal\n%s", code.Version.Diff, patch.Diff)
	}
}

// TestCodeOfChanceStaysWhole checks that versions of an agent whose answers may depend on
// the seed are proposed as they were searched. Formerly, too few evaluations led to whole
// blocks being reverted.
func TestCodeOfChanceStaysWhole(t *testing.T) {
	needsPython(t)
	t.Parallel()
	w := newRouted(t, "sed -i 's/uses_seed: false/uses_seed: true/' agents/solver/agent.yaml")
	if out := w.on(0, "run", "--seed", "2", "--budget-evals", "2400"); !strings.Contains(out, "changes        route") {
		t.Errorf("the night found\n%s", out)
	}
	if out := w.on(0, "variants", "--agent", "router", "--last", "10000"); strings.Contains(out, "undone: ") || !strings.Contains(out, "mutate") {
		t.Errorf("a version was made small:\n%s", out)
	}
}

// TestUnansweredNightsOfCode runs nights to which no person responds. Only one proposal
// waits at a time, a newer one is measured against it and replaces it, and what a person
// rejected is not proposed again.
func TestUnansweredNightsOfCode(t *testing.T) {
	needsPython(t)
	t.Parallel()
	w := newRouted(t)
	type proposal struct {
		ID, State string
		Tree      string
	}
	var waiting proposal
	seen := map[string]bool{}
	rejected := ""
	const nights = 8
	for night := range nights {
		w.on(night, "run", "--seed", fmt.Sprint(night+60), "--budget-evals", fmt.Sprint(100+50*night))
		var list struct{ Patches []proposal }
		if err := json.Unmarshal([]byte(w.on(night, "patch", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		waits := 0
		for _, p := range list.Patches {
			if p.State == "awaiting" || p.State == "human_lane" {
				waits++
				waiting = p
			}
		}
		if waits > 1 {
			t.Errorf("after night %d %d patches wait: %+v", night, waits, list.Patches)
		}
		if waits == 1 && waiting.Tree == rejected {
			t.Errorf("night %d proposes again what a person rejected", night)
		}
		t.Logf("night %d: %s", night, waiting.ID)
		seen[waiting.ID] = true
		if night == nights/2 && waits == 1 {
			rejected = waiting.Tree
			w.on(night, "reject", waiting.ID, "--by", "Ada <ada@example.org>", "--reason", "too clever", "--yes")
		}
	}
	if len(seen) < 3 || rejected == "" {
		t.Errorf("%d patches were proposed, %q was rejected", len(seen), rejected)
	}
	w.on(nights, "archive", "check")
	w.on(nights, "audit", "verify")
}

// needsPython skips a test of a Python agent in short mode, or if the agent cannot run.
func needsPython(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short")
	}
	for _, program := range []string{"python3", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
}

// routed is a workspace made from testdata/routed.
type routed struct {
	t          *testing.T
	root, home string
}

func newRouted(t *testing.T, edits ...string) routed {
	t.Helper()
	w := routed{t, filepath.Join(t.TempDir(), "ws"), t.TempDir()}
	if err := fixture.Workspace(w.root, "routed"); err != nil {
		t.Fatal(err)
	}
	for _, edit := range edits {
		w.sh(edit)
	}
	w.sh("python3 tasks.py 0 80 && cd agents/solver && git init --quiet && git add --all && git -c user.name=t -c user.email=t@example.org commit --quiet -m start")
	return w
}

func (w routed) sh(line string) string {
	w.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = w.root
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s: %v", line, err)
	}
	return string(out)
}

func (w routed) evolve(args ...string) { w.on(0, args...) }

// on runs a command on the given day and returns what it prints.
func (w routed) on(day int, args ...string) string {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	start := time.Now()
	code := Run(context.Background(), Process{
		Args: append(args, "--workspace", w.root), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Env: []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH")}, Dir: w.root,
		Now:   func() time.Time { return start.AddDate(0, 0, day).Add(time.Since(start)) },
		Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }, Release: func() {},
	})
	if code != 0 {
		w.t.Fatalf("day %d: evolve %v: exit %d\n%s%s", day, args, code, &stdout, &stderr)
	}
	return stdout.String()
}

// fresh returns the share of 400 fresh tasks that the agent's program solves under the
// given config.
func (w routed) fresh(config map[string]any) float64 {
	w.t.Helper()
	type task struct {
		ID     string          `json:"id"`
		Input  json.RawMessage `json:"input"`
		Answer string          `json:"answer"`
	}
	data := w.sh("mkdir -p fresh/suites && cd fresh && python3 ../tasks.py 1000 1400 && cat suites/work.jsonl")
	want := map[string]string{}
	var requests bytes.Buffer
	for line := range strings.Lines(data) {
		var k task
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			w.t.Fatal(err)
		}
		want[k.ID] = k.Answer
		request, err := json.Marshal(map[string]any{"id": k.ID, "task": k, "config": config})
		if err != nil {
			w.t.Fatal(err)
		}
		requests.Write(append(request, '\n'))
	}
	cmd := exec.Command("python3", "-B", "solve.py")
	cmd.Dir, cmd.Stdin = filepath.Join(w.root, "agents", "solver"), &requests
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	right := 0
	for line := range strings.Lines(string(out)) {
		var got task
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			w.t.Fatal(err)
		}
		if got.Answer == want[got.ID] {
			right++
		}
	}
	return float64(right) / float64(len(want))
}
