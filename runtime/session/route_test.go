package session

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestRoute(t *testing.T) {
	hints := []string{"default", "code", "Deep-Thought_2"}
	for _, c := range []struct{ message, domain, want string }{
		{"write a parser [route:code]", "", "code"},
		{"[ROUTE:CODE] write a parser", "default", "code"},
		{"[route:deep-thought_2]", "", "Deep-Thought_2"},
		{"[route:root]", "code", ""}, // requested but unknown, so the default and not the domain's route
		{"[route:]", "code", "code"},
		{"[route:../code]", "code", "code"},
		{"[route: code]", "default", "default"},
		{"[route:" + strings.Repeat("a", 41) + "]", "code", "code"},
		{"[route:code", "", ""},
		{"[[route:x!] [route:code] [route:default]", "", "code"},
		{"hint:code write a parser", "", "code"},
		{"write a parser, hint:CODE.", "", "code"},
		{"[hint:code] write a parser", "default", "code"},
		{"hint:root write a parser", "code", ""},
		{"hint: code", "code", "code"}, // ordinary text
		{"see the hint:../code", "code", "code"},
		{"my-hint:default", "code", "code"},
		{"hello", "code", "code"},
		{"hello", "gone", ""},
		{"", "", ""},
	} {
		got, why := Route(c.message, c.domain, hints)
		if got != c.want || why == "" {
			t.Errorf("%q in %q: %q, %s", c.message, c.domain, got, why)
		}
	}
	if got, _ := Route("[route:code]", "code", nil); got != "" {
		t.Errorf("without hints: %q", got)
	}
}

func FuzzRoute(f *testing.F) {
	f.Add("[route:code]", "code")
	f.Add("[[route:[route:\xff]", "")
	f.Fuzz(func(t *testing.T, message, domain string) {
		hints := []string{"code", "deep"}
		if got, why := Route(message, domain, hints); got != "" && !slices.Contains(hints, got) || len(why) > 200 {
			t.Fatalf("%q: %q, %s", message, got, why)
		}
	})
}

func TestSuggest(t *testing.T) {
	for name, c := range map[string]struct {
		own    float64
		others map[string]float64
		want   string // the suggested agent
	}{
		"weak, another strong":    {.2, map[string]float64{"b": .7}, "b"},
		"the strongest":           {.2, map[string]float64{"b": .7, "c": .9, "d": .8}, "c"},
		"of equal ones the first": {.2, map[string]float64{"z": .8, "c": .8, "m": .8}, "c"},
		"not weak enough":         {.3, map[string]float64{"b": .9}, ""},
		"none strong enough":      {.2, map[string]float64{"b": .6}, ""},
		"no history of one's own": {0, map[string]float64{"b": .9}, ""},
		"no number":               {math.NaN(), map[string]float64{"b": .9}, ""},
		"no history of the other": {.2, map[string]float64{"b": 0, "c": math.NaN()}, ""},
		"no agent":                {.2, nil, ""},
	} {
		for range 5 { // maps have no order
			got, ok := Suggest(c.own, c.others, .3, .6)
			if ok != (c.want != "") || !strings.HasPrefix(got, "The agent "+c.want) && ok {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	// The thresholds come from the config. An agent without history counts as .5.
	if got, ok := Suggest(0, map[string]float64{"b": .9}, .6, .6); !ok || !strings.Contains(got, "0.90") || !strings.Contains(got, "0.50") {
		t.Errorf("%q", got)
	}
	if _, ok := Suggest(.2, map[string]float64{"b": 0}, .3, .4); !ok {
		t.Error("an unknown agent counts as .5")
	}
}
