package mutate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestEveryConfigMadeIsValidAndLeavesItsParentsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anySearch(t, nil)
		a, b := s.random().config, s.random().config
		validate(t, o.Space, a)
		before, beforeB := string(a.Canonical()), string(b.Canonical())
		for range 10 {
			if c, ok := s.mutant(a); ok {
				validate(t, o.Space, c.config)
				if same(c.config, a) || c.config.ID() == a.ID() {
					t.Fatal("a mutant is its parent")
				}
				if c.operator == "" || c.rationale == "" {
					t.Fatalf("a mutant without a story: %+v", c)
				}
				spoil(c.config)
			}
			if c, ok := s.cross(&arm{config: a, id: a.ID()}, &arm{config: b, id: b.ID()}); ok {
				validate(t, o.Space, c.config)
				spoil(c.config)
			}
			r := s.random().config
			validate(t, o.Space, r)
			spoil(r)
		}
		if string(a.Canonical()) != before || string(b.Canonical()) != beforeB {
			t.Fatalf("a parent was changed: %s was %s", a.Canonical(), before)
		}
		if problems := o.Space.Check(); len(problems) > 0 {
			t.Fatalf("the space was changed: %v", problems)
		}
		if c := s.champion.config; c.ID() != s.champion.id {
			t.Fatal("the champion was changed")
		}
	})
}

// spoil overwrites lists in place, which shows where one is shared.
func spoil(c agent.Config) {
	for _, v := range c {
		if list, ok := v.([]string); ok {
			for i := range list {
				list[i] = "spoilt"
			}
		}
	}
}

func TestEveryOperatorOffersValuesOfItsParameter(t *testing.T) {
	offers := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, _ := anySearch(t, nil)
		for _, p := range s.params {
			old := s.draw(p)
			for _, op := range s.operators {
				if !op.serves(p) {
					continue
				}
				v, ok := op.change(p, old, s.rng)
				if !ok {
					continue
				}
				offers[op.name]++
				got, err := p.Coerce(v)
				if err != nil {
					t.Fatalf("%s made %v of %v, which %v", op.name, v, old, err)
				}
				if !cmp.Equal(got, v) {
					t.Fatalf("%s made %v (%T), canonical is %v (%T)", op.name, v, v, got, got)
				}
				if cmp.Equal(v, old) {
					t.Fatalf("%s offered what was there: %v", op.name, v)
				}
			}
		}
	})
	for _, op := range operators() {
		if offers[op.name] == 0 {
			t.Errorf("%s never offered anything", op.name)
		}
	}
}

func TestOperatorsReachEveryValue(t *testing.T) {
	for _, c := range []struct {
		name string
		p    agent.Param
		want int
	}{
		{"whole numbers", agent.Param{Kind: agent.Int, Min: -2, Max: 3, Default: int64(0)}, 6},
		{"choice", agent.Param{Kind: agent.Choice, Values: []any{"a", 1.5, int64(2), true}, Default: "a"}, 4},
		{"switch", agent.Param{Kind: agent.Bool, Default: false}, 2},
		{"subset", agent.Param{Kind: agent.Subset, Of: []string{"a", "b", "c", "d"}, MinItems: 1, MaxItems: 2, Default: []string{"a"}}, 10},
		{"subset of fixed size", agent.Param{Kind: agent.Subset, Of: []string{"a", "b", "c", "d"}, MinItems: 2, MaxItems: 2, Default: []string{"a", "b"}}, 6},
		{"subset that may be empty", agent.Param{Kind: agent.Subset, Of: []string{"a", "b"}, Default: []string{}}, 4},
		// Two lines in either order, one of them, none.
		{"text", agent.Param{Kind: agent.Text, MaxChars: 40, Lines: []string{"one", "two"}, Default: "mine"}, 5},
		{"text with room for one line", agent.Param{Kind: agent.Text, MaxChars: 9, Lines: []string{"one", "two"}, Default: "mine"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Name = "p"
			space := agent.Space{Params: []agent.Param{c.p}}
			s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(1), Budget: 1})
			seen := map[agent.ConfigID]bool{}
			at := space.Default()
			for range 2000 {
				seen[at.ID()] = true
				if m, ok := s.mutant(at); ok {
					at = m.config
				}
			}
			if len(seen) != c.want {
				t.Errorf("a walk reaches %d values, want %d", len(seen), c.want)
			}
		})
	}
}

func TestLinesOfAPersonStay(t *testing.T) {
	p := agent.Param{Name: "text", Kind: agent.Text, MaxChars: 200, Lines: []string{"one", "two", "three"}}
	for _, text := range []string{"first\n\nmine", "first\n\nmine\n", "one\nfirst\n\nmine\ntwo\n"} {
		p.Default = text
		space := agent.Space{Params: []agent.Param{p}}
		s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(1), Budget: 1})
		at := space.Default()
		for n := range 300 {
			if n%3 == 0 {
				at = s.random().config
			} else if m, ok := s.mutant(at); ok {
				at = m.config
			}
			rest := at.String("text")
			for _, l := range p.Lines {
				if strings.Count("\n"+rest+"\n", "\n"+l+"\n") > 1 {
					t.Fatalf("%q is there twice in %q", l, rest)
				}
				rest = dropLine(rest, l)
			}
			want := dropLine(dropLine(text, "one"), "two")
			if rest != want {
				t.Fatalf("a person's lines were %q, are %q in %q", want, rest, at.String("text"))
			}
		}
	}
}

func TestConditionsAreExplored(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "on", Kind: agent.Bool, Default: false},
		{Name: "depth", Kind: agent.Int, Min: 1, Max: 9, Default: int64(5), When: map[string][]any{"on": {true}}},
	}}
	s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(1), Budget: 1})
	var depths []int
	for range 400 {
		m, ok := s.mutant(space.Default())
		if !ok {
			continue
		}
		if n := m.config.Int("depth", 0); !slices.Contains(depths, n) {
			depths = append(depths, n)
		}
	}
	if len(depths) != 9 {
		t.Errorf("switching on tried the depths %v, want 1 to 9", depths)
	}
}

func TestScaleIsInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyParam(t, "p")
		if !p.Numeric() {
			t.Skip()
		}
		u := rapid.Float64Range(-0.5, 1.5).Draw(t, "u")
		v := fromUnit(p, u)
		if _, err := p.Coerce(v); err != nil {
			t.Fatalf("%v %v", v, err)
		}
		f, _ := asFloat(v)
		back := unit(p, f)
		if !(back >= 0 && back <= 1) {
			t.Fatalf("unit(%v) = %v", f, back)
		}
		wide := p.Max-p.Min > 0.1 && p.Max < 1e14 && (p.Kind == agent.Float || p.Max-p.Min > 1e6 && !p.Log)
		if wide && math.Abs(back-clamp(u, 0, 1)) > 0.006 {
			t.Fatalf("%v came back from %v as %v", u, f, back)
		}
		if math.Signbit(f) && f == 0 {
			t.Fatal("negative zero")
		}
	})
}

func TestNumbersAreWhatAPersonWouldWrite(t *testing.T) {
	for _, c := range []struct {
		p    agent.Param
		u    float64
		want any
	}{
		{agent.Param{Kind: agent.Float, Min: 0, Max: 1}, 1.0 / 3, 0.333},
		{agent.Param{Kind: agent.Float, Min: 0, Max: 2}, 1.0 / 3, 0.667},
		{agent.Param{Kind: agent.Float, Min: -5, Max: 5000}, 0.5, 2498.0},
		{agent.Param{Kind: agent.Float, Min: 1e-4, Max: 1, Log: true}, 0.5, 0.01},
		{agent.Param{Kind: agent.Float, Min: -1, Max: 1}, 0.4999, 0.0},
		{agent.Param{Kind: agent.Int, Min: 1, Max: 1000, Log: true}, 0.5, int64(32)},
		{agent.Param{Kind: agent.Int, Min: -3, Max: 3}, 1, int64(3)},
	} {
		if got := fromUnit(c.p, c.u); !cmp.Equal(got, c.want) {
			t.Errorf("fromUnit(%v–%v, %v) = %v, want %v", c.p.Min, c.p.Max, c.u, got, c.want)
		}
	}
}

func TestStoriesOfChanges(t *testing.T) {
	for _, c := range []struct {
		before, after any
		want          string
	}{
		{0.5, 0.25, "p .5 → .25"},
		{int64(3), int64(4), "p 3 → 4"},
		{"a", "b", `p "a" → "b"`},
		{[]string{"a"}, []string{"a", "b"}, "p [a] → [a b]"},
		{"x\ny", "x\nz", "p + z, − y"},
		{false, true, "p false → true"},
	} {
		if got := tell("p", c.before, c.after); got != c.want {
			t.Errorf("tell(%v, %v) = %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
