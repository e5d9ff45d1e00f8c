package stats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// referenceData returns the path of a public data file that is stored outside the
// project.
func referenceData(t *testing.T, name string) string {
	t.Helper()
	folders := []string{os.Getenv("EVOLVE_SHARED_DATA")}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		folders = append(folders, filepath.Join(dir, "shared", "data"))
	}
	for _, f := range folders {
		if path := filepath.Join(f, name); f != "" {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	t.Skipf("%s is not here; set EVOLVE_SHARED_DATA to its folder", name)
	return ""
}

func TestReferenceGSM8K(t *testing.T) {
	f, err := os.Open(referenceData(t, "gsm8k-model-solutions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type answer struct {
		Correct bool `json:"is_correct"`
	}
	score := func(a answer) []float64 {
		if a.Correct {
			return []float64{1}
		}
		return []float64{0}
	}
	var pairs []Pair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Small answer `json:"6b_verification"`
			Large answer `json:"175b_finetuning"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, Pair{Task: fmt.Sprint(len(pairs)), A: score(row.Small), B: score(row.Large)})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	c := Compare(pairs, .95)
	if c.Tasks != 1319 || c.Wins != 152 || c.Losses != 209 {
		t.Errorf("%d tasks, %d gained, %d lost", c.Tasks, c.Wins, c.Losses)
	}
	near(t, "share solved by the small model", c.MeanA, .3904, 5e-5)
	near(t, "share solved by the large model", c.MeanB, .3472, 5e-5)
	near(t, "difference", c.Difference, -.0432, 5e-5)
	near(t, "paired se", c.SE, .01436, 5e-6)
	near(t, "exact two-sided p", 2*McNemar(c.Losses, c.Wins), .00315, 5e-6)
}

func TestReferenceAirline(t *testing.T) {
	raw, err := os.ReadFile(referenceData(t, "tau-airline-gpt-4o.json"))
	if err != nil {
		t.Fatal(err)
	}
	var trials []struct {
		Task   int     `json:"task_id"`
		Reward float64 `json:"reward"`
	}
	if err := json.Unmarshal(raw, &trials); err != nil {
		t.Fatal(err)
	}
	// Compared with a constant 0, a difference is a mean.
	alone := make([]Pair, len(trials))
	for i, tr := range trials {
		alone[i] = Pair{Task: fmt.Sprint(i), A: []float64{0}, B: []float64{tr.Reward}}
	}
	near(t, "se ignoring tasks", Compare(alone, .95).SE, .0350, 5e-5)
	grouped := make([]Pair, len(alone))
	repeats := map[int]*Pair{}
	for i, tr := range trials {
		grouped[i] = alone[i]
		grouped[i].Cluster = fmt.Sprint("task ", tr.Task)
		if repeats[tr.Task] == nil {
			repeats[tr.Task] = &Pair{Task: fmt.Sprint(tr.Task)}
		}
		r := repeats[tr.Task]
		r.A, r.B = append(r.A, 0), append(r.B, tr.Reward)
	}
	c := Compare(grouped, .95)
	near(t, "mean", c.Difference, .42, 1e-9)
	near(t, "se by task", c.SE, .0522, 5e-5)
	var pairs []Pair
	for _, r := range repeats {
		pairs = append(pairs, *r)
	}
	near(t, "se of repeats averaged by task", Compare(pairs, .95).SE, c.SE, 1e-12)
}
