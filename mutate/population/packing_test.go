package population

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"evolve/bench/metrics"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/rewrite"
	"evolve/runtime/agent"
)

const packingHead = `package main

import "math"

var _ = math.Pi

// b
`

const packingRule = `func priority(item int, bins []int) []float64 {
	scores := make([]float64, len(bins))
	for i, left := range bins {
		gap := float64(left - item)
		scores[i] = -gap
	}
	return scores
}
`

// rewriting is an operator that rewrites the rule.
type rewriting struct {
	r     *rewrite.Rewriter
	cross bool
}

func (w rewriting) Name() string {
	if w.cross {
		return "cross"
	}
	return "mutate"
}

func (w rewriting) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	var c rewrite.Change
	var ok bool
	if w.cross {
		if s.Other == nil {
			return operator.Child{}, false
		}
		c, ok = w.r.Cross(s.Parent.String("b"), s.Other.String("b"), rng)
	} else {
		c.Text = s.Parent.String("b")
		for range 1 + min(rng.IntN(3), rng.IntN(3)) {
			if next, changed := w.r.Mutate(c.Text, rng); changed {
				c, ok = next, true
			}
		}
	}
	return operator.Child{Config: agent.Config{"b": c.Text}, Operator: w.Name(), Rationale: c.Operator + " " + c.Describes, Both: w.cross}, ok
}

// packer is a test that packs by many rules, all of which are in a single program; main
// is the text of the program.
type packer struct {
	t    *testing.T
	dir  string
	main string
	runs int
}

// values returns the excess of each rule on the given number of cases, or NaN where the
// rule failed.
func (p *packer) values(rules []string, seed, cases int) [][]float64 {
	p.runs++
	dir := filepath.Join(p.dir, strconv.Itoa(p.runs%2))
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		p.t.Fatal(err)
	}
	table := "package main\n\nvar rules = []rule{\n"
	files := map[string]string{"go.mod": "module packing\n\ngo 1.24\n", "main.go": p.main}
	for i, text := range rules {
		name := fmt.Sprintf("priority%d", i)
		files[name+".go"] = packingHead + strings.ReplaceAll(text, "func priority(", "func "+name+"(")
		table += "\t" + name + ",\n"
	}
	files["table.go"] = table + "}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", "packing", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOMAXPROCS=1")
	if out, err := build.CombinedOutput(); err != nil {
		p.t.Fatalf("build: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "packing"), strconv.Itoa(seed), strconv.Itoa(cases)).Output()
	if err != nil {
		p.t.Logf("a rule does not end: %v", err)
	}
	list := make([][]float64, len(rules))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range list {
		for k := range cases {
			v := math.NaN()
			if i < len(lines) {
				if words := strings.Fields(lines[i]); k < len(words) {
					if x, err := strconv.ParseFloat(words[k], 64); err == nil && x >= 0 {
						v = x
					}
				}
			}
			list[i] = append(list[i], v)
		}
	}
	return list
}

// TestPackingSearch searches for a rule for online bin packing, with as many evaluations as
// the environment specifies, and compares it with best fit on instances that the search has
// not used. It is an experiment, not a test: many rules are compiled into one program,
// which is much faster than a night, and nothing confirms what it finds.
//
//	EVOLVE_PACKING_EVALUATIONS=20000 go test ./mutate/population -run TestPackingSearch -v
//
// EVOLVE_PACKING_SEED sets the seed, and EVOLVE_PACKING_SELECTION sets how parents are
// selected.
func TestPackingSearch(t *testing.T) {
	budget, err := strconv.Atoi(os.Getenv("EVOLVE_PACKING_EVALUATIONS"))
	if err != nil {
		t.Skip("EVOLVE_PACKING_EVALUATIONS is not set")
	}
	seed, err := strconv.ParseInt(cmp.Or(os.Getenv("EVOLVE_PACKING_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	source := packingHead + packingRule
	r, err := rewrite.New(rewrite.Source{Files: map[string][]byte{"a.go": []byte(source)}}, rewrite.Site{File: "a.go", Start: len(packingHead), End: len(source)})
	if err != nil {
		t.Fatal(err)
	}
	main, err := os.ReadFile("testdata/packing.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	p := &packer{t: t, dir: t.TempDir(), main: string(main)}
	const cases = 60
	ahead, err := strconv.Atoi(cmp.Or(os.Getenv("EVOLVE_PACKING_LOOKAHEAD"), "400"))
	if err != nil {
		t.Fatal(err)
	}
	space := agent.Space{Params: []agent.Param{{Name: "b", Kind: agent.Text, Use: agent.Code, MaxChars: 1 << 16, Default: packingRule}}}
	o := Options{
		Options:   mutate.Options{Space: space, Champion: space.Default(), Budget: budget, Seed: seed, Selection: os.Getenv("EVOLVE_PACKING_SELECTION")},
		Operators: []operator.Operator{rewriting{r, false}, rewriting{r, true}},
		Size:      func(c agent.Config) int { return rewrite.Size(c.String("b")) },
		Normal:    func(c agent.Config) string { return rewrite.Normal(c.String("b")) },
	}
	for i := range cases {
		o.Tasks = append(o.Tasks, mutate.Task{ID: strconv.Itoa(i), Weight: 1})
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	base := p.values([]string{packingRule}, 1, cases)[0]
	var values []metrics.Value
	for k, v := range base {
		values = append(values, metrics.Value{Case: strconv.Itoa(k), Metric: "excess", Value: v, Better: metrics.Lower})
	}
	scale, err := metrics.NewScale(values, "")
	if err != nil {
		t.Fatal(err)
	}
	known := map[agent.ConfigID][]float64{}
	start, asked := time.Now(), 0
	for round := 0; ; round++ {
		var trials []mutate.Trial
		var fresh []agent.Config
		wanted := map[agent.ConfigID]bool{}
		for len(trials) < ahead {
			tr, status := s.Ask()
			if status != mutate.Ready {
				break
			}
			asked++
			trials = append(trials, tr)
			if known[tr.Variant] == nil && !wanted[tr.Variant] {
				wanted[tr.Variant] = true
				fresh = append(fresh, tr.Config)
			}
		}
		if len(trials) == 0 {
			break
		}
		if len(fresh) > 0 {
			var texts []string
			for _, c := range fresh {
				texts = append(texts, c.String("b"))
			}
			for i, v := range p.values(texts, 1, cases) {
				known[fresh[i].ID()] = v
			}
		}
		for _, tr := range trials {
			k, err := strconv.Atoi(tr.Task)
			if err != nil {
				t.Fatal(err)
			}
			v := known[tr.Variant][k]
			ob := mutate.Observation{Trial: tr, Scored: true}
			if !math.IsNaN(v) {
				ob.Score = scale.Score(tr.Task, v)
			}
			s.Tell(ob)
		}
		if round%max(1, 8000/ahead) == 0 {
			best := s.Recommend().Best
			t.Logf("%4.0f s, %d variants, %d evaluations: best %+.4f ± %.4f, size %d", time.Since(start).Seconds(), len(known), asked, best.Gain, best.SD, rewrite.Size(best.Config.String("b")))
		}
	}
	in := s.(*search)
	fate, spent := map[string]int{}, map[string]int{}
	for _, m := range in.members[1:] {
		k := fmt.Sprintf("stage %d", m.stages)
		if m.left && m.beats(0) < hopeless {
			k = "hopeless"
			if _, known := in.behaviour(m, m.issued); !known {
				k = "failed"
			}
		} else if m.left {
			k = "equal"
		}
		fate[k]++
		spent[k] += m.results
	}
	t.Log("STAT", fate, spent, in.audits)
	best := s.Recommend().Best
	t.Logf("%.0f s, %d variants, %d evaluations: best %+.4f ± %.4f", time.Since(start).Seconds(), len(known), asked, best.Gain, best.SD)
	out := p.values([]string{packingRule, best.Config.String("b")}, 1000, 200)
	mean := func(list []float64) float64 {
		sum := 0.
		for _, v := range list {
			sum += v / float64(len(list))
		}
		return sum
	}
	t.Logf("fresh: best fit %.3f %%, found %.3f %%\n%s", mean(out[0]), mean(out[1]), best.Config.String("b"))
}
