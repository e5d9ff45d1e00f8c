package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evolve/archive"
)

// intents returns the folder of a workspace whose agent classifies utterances by the
// utterances that it remembers.
func intents(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"evolve.yaml": "budget: {evaluations: 2000}\n",
		"agents/intents/agent.yaml": "id: intents\nadapter: {kind: builtin, model: heuristic}\n" +
			"deterministic: true\nuses_seed: false\nsuites: [utterances]\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "suites"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// evolve runs a command in dir and returns what the command printed. The command must
// succeed.
func evolve(t testing.TB, dir string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := Run(context.Background(), Process{
		Args: args, Stdin: bytes.NewReader(nil), Stdout: &out, Stderr: &errs, Env: os.Environ(), Dir: dir,
		Now: time.Now, Signals: make(chan os.Signal),
	})
	if code != 0 {
		t.Fatalf("evolve %v: exit %d\n%s", args, code, errs.String())
	}
	return out.String()
}

// adoptsFromRecall imports part of a labelled set as memories and other utterances as
// tasks. It expects a nightly run to find a config that is better on the holdout, far
// beyond chance.
func adoptsFromRecall(t *testing.T, file string, tasks, memories, evaluations string) {
	t.Helper()
	dir := intents(t)
	evolve(t, dir, "bench", "import", file, "--suite", "utterances", "--part", "test", "--per-label", tasks, "--seed", "1")
	evolve(t, dir, "bench", "import", file, "--memories", "intents", "--part", "train", "--per-label", memories, "--seed", "1")
	var got runOutcome
	if err := json.Unmarshal([]byte(evolve(t, dir, "run", "--seed", "1", "--budget-evals", evaluations, "--json", "--quiet")), &got); err != nil {
		t.Fatal(err)
	}
	a := got.Agents[0]
	if a.Verdict != archive.Adopt || a.Holdout == nil || a.Holdout.Interval[0] <= 0 {
		t.Fatalf("verdict %s: %s (%+v)", a.Verdict, a.Reason, a.Holdout)
	}
	t.Logf("%d search evaluations; holdout %+.3f [%+.3f, %+.3f] on %d tasks",
		a.Search.Evaluations, a.Holdout.Difference, a.Holdout.Interval[0], a.Holdout.Interval[1], a.Holdout.Tasks)
}

func TestLabelledUtterances(t *testing.T) {
	file, err := filepath.Abs("../../../../bench/importer/testdata/library.json")
	if err != nil {
		t.Fatal(err)
	}
	adoptsFromRecall(t, file, "0", "8", "2000")
}

// TestCLINC150 repeats the test above on real data, if available. Ten times the work would
// take minutes under the race detector, and the test above already covers the same code.
func TestCLINC150(t *testing.T) {
	if testing.Short() {
		t.Skip("long: run without -short")
	}
	file := filepath.Join(sharedData(t), "clinc150.json")
	if _, err := os.Stat(file); err != nil {
		t.Skipf("the real data is not here: %v", err)
	}
	adoptsFromRecall(t, file, "20", "10", "20000")
}

// sharedData returns the folder with real data: EVOLVE_SHARED_DATA if set, and otherwise a
// folder beside the checkout.
func sharedData(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("EVOLVE_SHARED_DATA"); dir != "" {
		return dir
	}
	dir, err := filepath.Abs("../../../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
