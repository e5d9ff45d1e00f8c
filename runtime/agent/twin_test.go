package agent

import (
	"testing"

	"pgregory.net/rapid"
)

func twinSpace() Space {
	return Space{Params: []Param{
		{Name: "temperature", Kind: Float, Min: 0, Max: 2, Default: .3},
		{Name: "steps", Kind: Int, Min: 1, Max: 64, Log: true, Default: int64(8)},
		{Name: "planner", Kind: Choice, Values: []any{"none", "tree"}, Default: "none"},
		{Name: "depth", Kind: Int, Min: 1, Max: 4, Default: int64(2), When: map[string][]any{"planner": {"tree"}}},
		{Name: "tools", Kind: Subset, Of: []string{"search", "calc"}, Default: []string{"search"}},
		{Name: "prompt", Kind: Text, Default: "be brief"},
	}}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	s := twinSpace()
	for name, c := range map[string]struct {
		change Config
		idle   []string
		twins  bool
	}{
		"the same":              {Config{}, nil, true},
		"a number nearby":       {Config{"temperature": .39}, nil, true},
		"a number further away": {Config{"temperature": .41}, nil, false},
		"nearby on its scale":   {Config{"steps": int64(9)}, nil, true},
		"far on its scale":      {Config{"steps": int64(10)}, nil, false},
		"a choice":              {Config{"planner": "tree"}, nil, false},
		"a list":                {Config{"tools": []string{"search", "calc"}}, nil, false},
		"a text":                {Config{"prompt": "be brief."}, nil, false},
		"what is inactive":      {Config{"depth": int64(4)}, nil, true},
		"what does nothing":     {Config{"temperature": 2., "prompt": "long"}, []string{"temperature", "prompt"}, true},
		"two, one does nothing": {Config{"temperature": 2., "prompt": "long"}, []string{"temperature"}, false},
	} {
		other := s.Default()
		for k, v := range c.change {
			other[k] = v
		}
		why, got := s.Twins(s.Default(), other, TwinShare, c.idle...)
		if got != c.twins || (why != "") != got {
			t.Errorf("%s: %v, %q", name, got, why)
		}
		if _, back := s.Twins(other, s.Default(), TwinShare, c.idle...); back != got {
			t.Errorf("%s: not the same the other way round", name)
		}
	}
}

// TestTwinsProperties tests that a config is its own twin, that the relation is symmetric,
// and that no number may differ by more than the allowed share of its range.
func TestTwinsProperties(t *testing.T) {
	t.Parallel()
	s := twinSpace()
	draw := rapid.Custom(func(t *rapid.T) Config {
		return s.Canonical(Config{
			"temperature": rapid.Float64Range(0, 2).Draw(t, "temperature"), "steps": rapid.Int64Range(1, 64).Draw(t, "steps"),
			"planner": rapid.SampledFrom([]any{"none", "tree"}).Draw(t, "planner"), "depth": rapid.Int64Range(1, 4).Draw(t, "depth"),
			"tools": []string{"search"}, "prompt": rapid.SampledFrom([]string{"be brief", "be long"}).Draw(t, "prompt"),
		})
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a.Clone()
			b["temperature"] = min(2, max(0, a.Float("temperature", 0)+rapid.Float64Range(-.3, .3).Draw(t, "by")))
		}
		if _, ok := s.Twins(a, a, 0); !ok {
			t.Fatalf("%v is not its own twin", a)
		}
		_, ab := s.Twins(a, b, TwinShare)
		if _, ba := s.Twins(b, a, TwinShare); ab != ba {
			t.Fatalf("%v and %v: %v, the other way round %v", a, b, ab, ba)
		}
		d := a.Float("temperature", 0) - b.Float("temperature", 0)
		if ab && (d > 2*TwinShare+1e-12 || -d > 2*TwinShare+1e-12 || a.String("planner") != b.String("planner") || a.String("prompt") != b.String("prompt")) {
			t.Fatalf("%v and %v are said to be twins", a, b)
		}
		if _, ok := s.Twins(a, b, 0, s.Names()...); !ok {
			t.Fatal("where nothing matters, all are twins")
		}
	})
}
