package constants

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"evolve/bench/gobench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// drive runs a search to its end; measure runs one benchmark of a config.
func drive(t *testing.T, o mutate.Options, y *gobench.Reference, measure func(agent.Config, string) gobench.Run) mutate.Recommendation {
	t.Helper()
	for _, name := range y.Benchmarks() {
		o.Tasks = append(o.Tasks, mutate.Task{ID: name, Weight: 1})
	}
	s, err := mutate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		trial, status := s.Ask()
		if status != mutate.Ready {
			return s.Recommend()
		}
		score, scored := y.Score(measure(trial.Config, trial.Task), trial.Task)
		s.Tell(mutate.Observation{Trial: trial, Scored: scored, Score: score})
	}
}

// target is a Go module with a constant that is tuned by real builds and runs.
type target struct {
	tool  string
	files map[string][]byte
	dir   string
}

// build builds the test binary for a config in a separate folder.
func (g *target) build(t *testing.T, config agent.Config) string {
	t.Helper()
	files, err := Set(g.files, config)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(g.dir, "tree")
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range files {
		if err := os.WriteFile(filepath.Join(dir, path), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "measure")
	g.run(t, dir, g.tool, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program, ".")
	return program
}

// measure runs the benchmarks in a test binary in a separate process.
func (g *target) measure(t *testing.T, program string) gobench.Run {
	t.Helper()
	out := g.run(t, filepath.Dir(program), program, "-test.run=^$", "-test.bench=.", "-test.benchtime=3x")
	run, err := gobench.Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (g *target) run(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOENV=off", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return out
}

// TestTuningARealModule checks that the searcher finds the best of four sizes by
// benchmarks of the target's builds, and that new runs in a planned order prove that this
// size is better.
func TestTuningARealModule(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go tool to build the target with")
	}
	g := &target{tool: tool, files: map[string][]byte{}, dir: t.TempDir()}
	for _, name := range []string{"go.mod", "copy.go", "copy_test.go"} {
		if g.files[name], err = os.ReadFile(filepath.Join("testdata", "target", name)); err != nil {
			t.Fatal(err)
		}
	}
	list, problems := Find(g.files)
	if len(problems) > 0 || len(list) != 1 {
		t.Fatal(list, problems)
	}
	space, now := Space(list)
	programs := map[agent.ConfigID]string{now.ID(): g.build(t, now)}
	rule := gobench.Rule{Metric: "work/op", Guards: []string{}, Directions: map[string]gobench.Direction{"work/op": gobench.Lower}}
	ref, err := gobench.NewReference([]gobench.Run{g.measure(t, programs[now.ID()])}, rule)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[agent.ConfigID]gobench.Run{} // counted work is the same in every run
	o := mutate.Options{Space: space, Champion: now, Budget: 8, MaxRepeats: 1, BaselineShare: -1}
	found := drive(t, o, ref, func(c agent.Config, _ string) gobench.Run {
		id := c.ID()
		if _, built := programs[id]; !built {
			programs[id] = g.build(t, c)
		}
		if _, known := runs[id]; !known {
			runs[id] = g.measure(t, programs[id])
		}
		return runs[id]
	})
	if told := Describe(list, found.Best.Config); told != "chunk 16 → 256" {
		t.Errorf("found %q because %v", told, found.Reasons)
	}
	sides := map[gobench.Side]string{gobench.Base: programs[now.ID()], gobench.Again: g.build(t, now), gobench.Candidate: programs[found.Best.Variant]}
	var m gobench.Measured
	for _, side := range gobench.Plan(5, 1, gobench.Base, gobench.Again, gobench.Candidate) {
		run := g.measure(t, sides[side])
		switch side {
		case gobench.Base:
			m.Base = append(m.Base, run)
		case gobench.Again:
			m.Again = append(m.Again, run)
		default:
			m.Candidate = append(m.Candidate, run)
		}
	}
	if r := gobench.Compare(m, rule); r.Verdict != gobench.Better || len(r.Comparisons) != 2 {
		t.Errorf("%s because %v", r.Verdict, r.Reasons)
	}
}

// TestReferenceGuidesTheSearch checks that the search finds nearly all of the possible
// savings of three constants in three benchmarks with different weights, from few noisy
// runs.
func TestReferenceGuidesTheSearch(t *testing.T) {
	files := one(`package p

const (
	size  = 64  //evolve:param min=8 max=4096 log
	ratio = 0.5 //evolve:param min=0 max=1
	lanes = 8   //evolve:param min=1 max=64
)
`)
	list, problems := Find(files)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	space, now := Space(list)
	names := []string{"A", "B", "C"}
	const seeds, possible = 6, 0.3 // the logarithm of the saving at the optimum
	share := 0.0
	for seed := range int64(seeds) {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		best := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		loss := func(c agent.Config, bench int) float64 {
			sum := 0.0
			for i, u := range []float64{math.Log(c.Float("size", 0)/8) / math.Log(512), c.Float("ratio", 0), (c.Float("lanes", 0) - 1) / 63} {
				sum += float64(2+(i+bench)%3) * (u - best[i]) * (u - best[i])
			}
			return sum
		}
		mean := func(c agent.Config) float64 { return (loss(c, 0) + loss(c, 1) + loss(c, 2)) / 3 }
		unit := possible / mean(now)
		measure := func(c agent.Config, bench string) gobench.Run {
			at := strings.Index("ABC", bench)
			time := 1e-6 * math.Exp(unit*loss(c, at)+.05*rng.NormFloat64())
			return gobench.Run{{Benchmark: bench, Unit: "sec/op"}: {time}}
		}
		var base []gobench.Run
		for range 9 {
			run := gobench.Run{}
			for _, name := range names {
				for k, v := range measure(now, name) {
					run[k] = v
				}
			}
			base = append(base, run)
		}
		ref, err := gobench.NewReference(base, gobench.Rule{})
		if err != nil {
			t.Fatal(err)
		}
		found := drive(t, mutate.Options{Space: space, Champion: now, Budget: 80, Seed: seed}, ref, measure)
		share += (mean(now) - mean(found.Best.Config)) / mean(now) / seeds
	}
	t.Logf("%.0f %% of what could be saved was found", 100*share)
	if share < .85 {
		t.Errorf("only %.2f of what could be saved was found", share)
	}
}
