package mutate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"evolve/mutate/internal/lab/space"
	"evolve/mutate/irt"
	"evolve/runtime/agent"
)

func TestEncoding(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "x", Kind: agent.Float, Max: 1, Default: 0.0},
		{Name: "c", Kind: agent.Choice, Values: []any{"a", int64(1)}, Default: "a"},
		{Name: "b", Kind: agent.Bool, Default: false},
		{Name: "s", Kind: agent.Subset, Of: []string{"u", "v"}, Default: []string{}},
		{Name: "t", Kind: agent.Text, MaxChars: 99, Lines: []string{"one", "two"}, Default: ""},
	}}
	c := newCodec(space, space.Default())
	for _, w := range []struct {
		config agent.Config
		want   irt.Point
	}{
		{agent.Config{"x": 1.0, "c": "a", "b": false, "s": []string{}, "t": ""}, irt.Point{irt.Grid, category, absent, absent, absent, category, absent, absent}},
		{agent.Config{"x": 0.5, "c": int64(1), "b": true, "s": []string{"v"}, "t": "mine\ntwo"}, irt.Point{irt.Grid / 2, category - 1, present, absent, present, category - 1, absent, present}},
		{agent.Config{"t": "two\nmine\none"}, irt.Point{inactive, inactive, inactive, inactive, inactive, category - 1, present, present}},
		{agent.Config{}, irt.Point{inactive, inactive, inactive, inactive, inactive, inactive, inactive, inactive}},
	} {
		if got := c.encode(w.config); !slices.Equal(got, w.want) {
			t.Errorf("%s: %v, want %v", w.config.Canonical(), got, w.want)
		}
	}
}

// TestMembersShareTheirParametersWeight checks that a parameter has the same weight for any
// number of members.
func TestMembersShareTheirParametersWeight(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "x", Kind: agent.Float, Max: 1, Default: 0.0},
		{Name: "s", Kind: agent.Subset, Of: []string{"a", "b", "c", "d", "e"}, Default: []string{}},
	}}
	sum := 0.0
	for _, d := range newCodec(space, space.Default()).dims[1:] {
		sum += d.Weight
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("a subset weighs %v, a number 1", sum)
	}
}

// TestMovesStayInTheSpace checks that every point produced by moves decodes to a valid
// config and encodes back to itself.
func TestMovesStayInTheSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := space.Any(t)
		champion := space.Default()
		c := newCodec(space, champion)
		if len(c.settings) == 0 {
			t.Skip()
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		home := c.encode(champion)
		weights := c.weigh(slices.Repeat([]float64{1}, len(c.dims)))
		x, y := c.random(home, rng), home
		for range 12 {
			switch rng.IntN(3) {
			case 0:
				y = c.random(home, rng)
			case 1:
				y = c.cross(x, y, rng)
			default:
				y = c.mutate(x, weights, rng)
			}
			before := slices.Clone(y)
			config, ok := c.decode(y, champion, home)
			if !slices.Equal(y, before) {
				t.Fatal("decoding changed the point")
			}
			if !ok {
				continue // a text too long
			}
			validate(t, space, config)
			if back := c.encode(config); !slices.Equal(back, y) {
				t.Fatalf("%v came back from %s as %v", y, config.Canonical(), back)
			}
			x = y
		}
	})
}

// TestConditionThroughAFixedParameter checks that a condition on a fixed parameter is
// replaced by that parameter's conditions.
func TestConditionThroughAFixedParameter(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "on", Kind: agent.Bool, Default: false},
		{Name: "only", Kind: agent.Choice, Values: []any{"x"}, Default: "x", When: map[string][]any{"on": {true}}},
		{Name: "n", Kind: agent.Float, Max: 1, Default: 0.5, When: map[string][]any{"only": {"x"}}},
	}}
	c := newCodec(space, space.Default())
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[bool]int{}
	for range 50 {
		x := c.random(c.encode(space.Default()), rng)
		on := x[0] == present
		if seen[on]++; on == (x[1] == inactive) {
			t.Fatalf("on is %v, and n %d", on, x[1])
		}
	}
	if len(seen) != 2 {
		t.Error("the switch never moved")
	}
}

// TestDecodingKeepsWhatDidNotChange checks that parameters that a move does not change keep
// their exact values.
func TestDecodingKeepsWhatDidNotChange(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "x", Kind: agent.Float, Max: 1, Default: 0.123456789},
		{Name: "b", Kind: agent.Bool, Default: false},
		{Name: "t", Kind: agent.Text, MaxChars: 99, Lines: []string{"one", "two"}, Default: "two\nmine\n\nand more\n"},
	}}
	d := space.Default()
	c := newCodec(space, d)
	home := c.encode(d)
	x := slices.Clone(home)
	x[1] = present
	x[3] = present
	got, ok := c.decode(x, d, home)
	want := agent.Config{"x": 0.123456789, "b": true, "t": "two\nmine\n\nand more\none\n"}
	if !ok || !got.Equal(want) {
		t.Errorf("%s, want %s", got.Canonical(), want.Canonical())
	}
	x[4] = absent
	if got, _ := c.decode(x, d, home); got.String("t") != "mine\n\nand more\none\n" {
		t.Errorf("text %q", got.String("t"))
	}
}

func TestDesignFillsTheSpace(t *testing.T) {
	space := agent.Space{Params: []agent.Param{
		{Name: "x", Kind: agent.Float, Max: 1, Default: 0.5},
		{Name: "c", Kind: agent.Choice, Values: []any{"a", "b", "d"}, Default: "a"},
		{Name: "n", Kind: agent.Int, Min: 1, Max: 9, Default: int64(5), When: map[string][]any{"c": {"b"}}},
	}}
	s := newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 2000})
	strata, counts := map[int]int{}, map[any]int{}
	for _, p := range s.design {
		strata[int(p.config.Float("x", 0)*float64(len(s.design))*0.999)]++
		counts[p.config["c"]]++
		if _, there := p.config["n"]; there != (p.config["c"] == "b") {
			t.Errorf("a condition does not hold in %s", p.config.Canonical())
		}
	}
	if n := len(s.design); len(strata) < n*9/10 {
		t.Errorf("%d designs fall into %d strata", n, len(strata))
	}
	for v, n := range counts {
		if d := n - len(s.design)/3; d < -1 || d > 1 {
			t.Errorf("%v is there %d times of %d", v, n, len(s.design))
		}
	}
}
