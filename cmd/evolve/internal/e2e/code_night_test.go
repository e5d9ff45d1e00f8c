//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"evolve/archive"
)

// published is the rule for OR1 that FunSearch found (Romera-Paredes et al., "Mathematical
// discoveries from program search with large language models", Nature 625, 2024), in the
// form of the block.
const published = `
func priority(item int, bins []int) []float64 {
	scores := make([]float64, len(bins))
	for i, left := range bins {
		switch gap := left - item; {
		case gap <= 2:
			scores[i] = 4
		case gap <= 3:
			scores[i] = 3
		case gap <= 5:
			scores[i] = 2
		case gap <= 7:
			scores[i] = 1
		case gap <= 9:
			scores[i] = .9
		case gap <= 12:
			scores[i] = .95
		case gap <= 15:
			scores[i] = .97
		case gap <= 21:
			scores[i] = .98
		default:
			scores[i] = .99
		}
	}
	return scores
}

`

// TestPackingNight searches the heuristic of online bin packing for a night, without a
// language model, and checks the claim on fresh instances: what it proposes must pack them
// into fewer bins than best fit, which it starts from. It takes half an hour and is run
// where EVOLVE_CODE_NIGHT holds the number of evaluations, such as 40000; EVOLVE_CODE_SEED
// is the seed.
func TestPackingNight(t *testing.T) {
	evaluations := os.Getenv("EVOLVE_CODE_NIGHT")
	if evaluations == "" {
		t.Skip("EVOLVE_CODE_NIGHT is not set")
	}
	data, err := os.ReadFile(filepath.Join("testdata", "code", "packing.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	p, repo := tiny(t), t.TempDir()
	p.model = true // it takes as long
	files := map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		files[f.Name] = string(f.Data)
	}
	p.repository(repo, files)
	p.settings("search: {concurrency: 2}\npatches: {targets: [{name: packing, repo: " + repo +
		", allow: [pack.go], build: [go, build, -o, score.bin, ./cmd/score], score: [./score.bin]}]}\n")
	seed := os.Getenv("EVOLVE_CODE_SEED")
	if seed == "" {
		seed = "1"
	}
	p.do(0, "run", "--agent", "packing", "--budget-evals", evaluations, "--seed", seed)
	t.Log(p.do(0, "report").stdout)
	t.Log(p.do(0, "code", "show", "packing").stdout)
	start := files["pack.go"]
	rules := map[string]string{
		"best fit":  start,
		"first fit": strings.Replace(start, "scores[i] = -gap", "_ = gap", 1),
		"FunSearch": start[:strings.Index(start, "begin priority\n")+len("begin priority\n")] + published + start[strings.Index(start, "// evolve:end"):],
	}
	for _, prop := range p.mustLook().proposals {
		if prop.State != archive.Awaiting && prop.State != archive.HumanLane {
			t.Errorf("proposal %s is %s", prop.ID, prop.State)
		}
		for _, f := range prop.Files {
			rules["evolve"] = string(f.New)
		}
	}
	if rules["evolve"] == "" {
		t.Fatal("the night proposes nothing")
	}
	excess := map[string]float64{}
	for name, rule := range rules {
		excess[name] = fresh(t, repo, rule)
	}
	for _, name := range []string{"first fit", "best fit", "FunSearch", "evolve"} {
		t.Logf("%-10s %.3f %% more bins than the volume needs, on 200 fresh cases of 20 instances", name, excess[name])
	}
	if excess["evolve"] >= excess["best fit"] {
		t.Errorf("the proposed rule wastes %.3f %%, best fit %.3f %%", excess["evolve"], excess["best fit"])
	}
}

// fresh returns the mean excess of a rule on instances that no night has had.
func fresh(t *testing.T, repo, rule string) float64 {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(repo)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pack.go"), []byte(rule), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "./cmd/score"}
	for i := range 200 {
		args = append(args, fmt.Sprintf("fresh-%d", i))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for line := range bytes.Lines(out) {
		var v struct{ Value float64 }
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		values = append(values, v.Value)
	}
	if len(values) != 200 || slices.Min(values) <= 0 {
		t.Fatalf("%d values", len(values))
	}
	sum := 0.
	for _, v := range values {
		sum += v / 200
	}
	return sum
}
