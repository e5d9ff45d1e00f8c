package rewrite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The rules that a search of packing begins with and is compared with.
const (
	bestFit = `// priority returns how well each bin suits an item.
func priority(item int, bins []int) []float64 {
	scores := make([]float64, len(bins))
	for i, left := range bins {
		gap := float64(left - item)
		scores[i] = -gap
	}
	return scores
}
`
	firstFit = `func priority(item int, bins []int) []float64 {
	return make([]float64, len(bins))
}
`
)

// packing is a laboratory that compiles rules and runs them.
type packing struct {
	t    testing.TB
	dir  string
	runs int
}

// result is what a rule reaches; key differs if it packs an instance otherwise.
type result struct {
	excess float64
	key    string
}

// measure packs n instances by every rule; part is all, or screened for fewer where a rule
// is much worse than best fit.
func (p *packing) measure(rules []string, kind string, seed, n int, part string) []result {
	p.runs++
	dir := filepath.Join(p.dir, strconv.Itoa(p.runs%2))
	os.RemoveAll(dir)
	main, err := os.ReadFile("testdata/packing/main.go.txt")
	if err != nil {
		p.t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module packing\n\ngo 1.24\n", "main.go": string(main)}
	table := "package main\n\nvar rules = []rule{\n"
	for i, text := range rules {
		name := fmt.Sprintf("priority%d", i)
		files[name+".go"] = "package main\n\nimport \"math\"\n\nvar _ = math.Pi\n\n" + strings.ReplaceAll(text, "func priority(", "func "+name+"(")
		table += "\t" + name + ",\n"
	}
	files["table.go"] = table + "}\n"
	for name, text := range files {
		write(p.t, filepath.Join(dir, name), text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", "packing", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOMAXPROCS=1")
	if out, err := build.CombinedOutput(); err != nil {
		p.t.Fatalf("build: %v\n%s", err, out)
	}
	run := exec.CommandContext(ctx, filepath.Join(dir, "packing"), kind, strconv.Itoa(seed), strconv.Itoa(n), part)
	run.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := run.Output()
	if err != nil {
		p.t.Logf("a rule does not end: %v", err)
	}
	list := make([]result, len(rules))
	for i := range list {
		list[i].excess = math.Inf(1)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if x, key, ok := strings.Cut(line, " "); ok && i < len(list) {
			if v, err := strconv.ParseFloat(x, 64); err == nil {
				list[i] = result{v, key}
			}
		}
	}
	return list
}

// individual is a member of the population of a search.
type individual struct {
	text string
	result
	size int
}

// sizeCost is what a syntax node costs, in percent of bins.
const sizeCost = 0.0005

// TestPacking searches by mutation and crossover alone for a rule of online bin packing,
// for as long as the environment says, and compares it with first fit and best fit on
// instances that the search has not seen. It is an experiment, not a test.
//
//	EVOLVE_PACKING_SECONDS=600 go test ./mutate/rewrite -run TestPacking -v -timeout 0
//
// EVOLVE_PACKING_KIND is uniform (as the instances OR1: 120 items of 20 to 100, bins of
// 150) or weibull (5,000 items, bins of 100); EVOLVE_PACKING_SEED is the seed.
func TestPacking(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("EVOLVE_PACKING_SECONDS"))
	if err != nil {
		t.Skip("EVOLVE_PACKING_SECONDS is not set")
	}
	kind, seed := os.Getenv("EVOLVE_PACKING_KIND"), 1
	if s, err := strconv.Atoi(os.Getenv("EVOLVE_PACKING_SEED")); err == nil {
		seed = s
	}
	cases, fresh := 1000, 4000
	if kind == "weibull" {
		cases, fresh = 3, 5
	} else {
		kind = "uniform"
	}
	const mu, lambda = 30, 60
	f := block("package packing\n\nimport \"math\"\n\nvar _ = math.Pi\n\n", bestFit, "")
	r, base := f.open(t)
	r.most = 120
	p := &packing{t: t, dir: t.TempDir()}
	rng := random(uint64(seed))
	first := p.measure([]string{base, firstFit}, kind, seed, cases, "all")
	t.Logf("search: best fit %.3f %%, first fit %.3f %%", first[0].excess, first[1].excess)
	population := []individual{{base, first[0], Size(base)}}
	seen := map[string]bool{Normal(base): true}
	type record struct{ drawn, better, equal, worse int }
	stats := map[string]*record{}
	var names []string
	start, total := time.Now(), 0
	for generation := 0; time.Since(start) < time.Duration(seconds)*time.Second; generation++ {
		var children, operators []string
		var parents []individual
		for tries := 0; len(children) < lambda && tries < 50*lambda; tries++ {
			draw := func() individual { return population[min(rng.IntN(len(population)), rng.IntN(len(population)))] }
			parent := draw()
			text, operator := parent.text, ""
			if len(population) > 1 && rng.IntN(5) == 0 {
				if c, ok := r.Cross(text, draw().text, rng); ok {
					text, operator = c.Text, c.Operator
				}
			} else {
				for range 1 + min(rng.IntN(3), rng.IntN(3)) {
					if c, ok := r.Mutate(text, rng); ok {
						text, operator = c.Text, strings.TrimPrefix(operator+"+"+c.Operator, "+")
					}
				}
			}
			if n := Normal(text); !seen[n] {
				seen[n] = true
				children, operators, parents = append(children, text), append(operators, operator), append(parents, parent)
			}
		}
		results := p.measure(children, kind, seed, cases, "screened")
		total += len(children)
		for i, c := range results {
			for _, o := range strings.Split(operators[i], "+") {
				if strings.Contains(operators[i], "+") {
					continue
				}
				if stats[o] == nil {
					stats[o] = &record{}
					names = append(names, o)
				}
				stats[o].drawn++
				switch {
				case c.excess < parents[i].excess:
					stats[o].better++
				case c.key == parents[i].key:
					stats[o].equal++
				default:
					stats[o].worse++
				}
			}
			if !math.IsInf(c.excess, 0) && !math.IsNaN(c.excess) {
				population = append(population, individual{children[i], c, Size(children[i])})
			}
		}
		slices.SortStableFunc(population, func(a, b individual) int {
			return cmp.Or(cmp.Compare(a.excess+sizeCost*float64(a.size), b.excess+sizeCost*float64(b.size)), a.size-b.size)
		})
		// One member for each behaviour.
		have := map[string]bool{}
		population = slices.DeleteFunc(population, func(x individual) bool {
			if have[x.key] {
				return true
			}
			have[x.key] = true
			return false
		})
		population = population[:min(mu, len(population))]
		if generation%10 == 0 {
			t.Logf("%4.0f s, generation %d, %d rules: best %.3f %%, size %d", time.Since(start).Seconds(), generation, total, population[0].excess, population[0].size)
		}
	}
	var rules []string
	for _, x := range population[:min(5, len(population))] {
		rules = append(rules, x.text)
	}
	out := p.measure(append([]string{base, firstFit}, rules...), kind, 1000+seed, fresh, "all")
	t.Logf("fresh: best fit %.3f %%, first fit %.3f %%", out[0].excess, out[1].excess)
	for i := range rules {
		t.Logf("rule %d: search %.3f %%, fresh %.3f %%, size %d\n%s", i, population[i].excess, out[i+2].excess, population[i].size, rules[i])
	}
	slices.Sort(names)
	for _, n := range names {
		s := stats[n]
		t.Logf("%-15s drawn %5d  better %5.2f %%  same %5.1f %%", n, s.drawn, 100*float64(s.better)/float64(s.drawn), 100*float64(s.equal)/float64(s.drawn))
	}
}
