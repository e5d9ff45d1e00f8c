//go:build unix

package e2e

import (
	"bytes"
	"cmp"
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

// TestCodeNights searches marked blocks, each for one night, without a language model, and
// checks the claim on fresh cases: what the night proposes must do better than the code
// from which it starts. Each target takes half an hour. The test runs only if
// EVOLVE_CODE_NIGHT holds the number of evaluations, such as 40000. EVOLVE_CODE_SEED sets
// the seed.
func TestCodeNights(t *testing.T) {
	evaluations := os.Getenv("EVOLVE_CODE_NIGHT")
	if evaluations == "" {
		t.Skip("EVOLVE_CODE_NIGHT is not set")
	}
	for _, c := range []struct {
		name, file string
		// world is the target, and set is the set of instances used as its cases.
		world, set string
		// Each function in peers returns a changed version of the file that contains the
		// block. flags are the flags of the score command for that version.
		peers map[string]func(start string) string
		flags map[string][]string
		order []string
	}{
		{
			name: "packing", world: "packing", set: "or1", file: "pack.go", peers: packingRules("or1"), order: []string{"best fit", "first fit", "FunSearch"},
		},
		{
			name: "weibull", world: "packing", set: "weibull", file: "pack.go", peers: packingRules("weibull"), order: []string{"best fit", "first fit", "FunSearch"},
		},
		{
			name: "cache", world: "cache", file: "cache.go",
			peers: map[string]func(string) string{
				"LRU":     func(start string) string { return start },
				"LFU":     func(start string) string { return strings.Replace(start, "return last", "return hits", 1) },
				"S3-FIFO": func(start string) string { return start },
			},
			flags: map[string][]string{"S3-FIFO": {"-policy=s3fifo"}},
			order: []string{"LRU", "LFU", "S3-FIFO"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := world(t, c.world)
			p, repo := tiny(t), t.TempDir()
			p.model = true // it takes as long as a run with a model
			var flags []string
			score := "./score.bin"
			if c.set != "" {
				flags = []string{"-set=" + c.set}
				score += ", " + flags[0]
			}
			p.repository(repo, files)
			p.settings("search: {concurrency: 2}\npatches: {targets: [{name: " + c.name + ", repo: " + repo +
				", allow: [" + c.file + "], build: [go, build, -o, score.bin, ./cmd/score], score: [" + score + "]}]}\n")
			p.do(0, "run", "--agent", c.name, "--budget-evals", evaluations, "--seed", cmp.Or(os.Getenv("EVOLVE_CODE_SEED"), "1"))
			t.Log(p.do(0, "report").stdout)
			t.Log(p.do(0, "code", "show", c.name).stdout)
			value := map[string]float64{}
			for _, name := range c.order {
				value[name] = mean(fresh(t, repo, c.file, c.peers[name](files[c.file]), 200, slices.Concat(flags, c.flags[name])...))
			}
			found := ""
			for _, prop := range p.mustLook().proposals {
				if prop.State != archive.Awaiting && prop.State != archive.HumanLane {
					t.Errorf("proposal %s is %s", prop.ID, prop.State)
				}
				for _, f := range prop.Files {
					found = string(f.New)
				}
			}
			if found == "" {
				t.Fatalf("the night proposes nothing; %v", value)
			}
			value["evolve"] = mean(fresh(t, repo, c.file, found, 200, flags...))
			for _, name := range append(c.order, "evolve") {
				t.Logf("%-10s %.3f %%, the mean of 200 fresh cases", name, value[name])
			}
			if value["evolve"] >= value[c.order[0]] {
				t.Errorf("the proposed code has %.3f %%, the code in use %.3f %%", value["evolve"], value[c.order[0]])
			}
		})
	}
}

// world returns the files of a target.
func world(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "code", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// mean returns the mean of values.
func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// fresh returns the values of a target with a changed file, on the given number of cases
// that no night has used.
func fresh(t *testing.T, repo, file, text string, cases int, flags ...string) []float64 {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(repo)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"run", "./cmd/score"}, flags...)
	for i := range cases {
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
	if len(values) != cases || slices.Min(values) <= 0 {
		t.Fatalf("%d values", len(values))
	}
	return values
}
