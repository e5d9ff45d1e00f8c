package stats

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/text"
)

// ruling returns a ruling in the given state, on 40 tasks with 10 blocks.
func ruling(variant string, state State, difference, width float64) Ruling {
	return Ruling{
		Variant: variant, State: state, Blocks: 10, Pairs: 400, LogE: 1, Threshold: 5.5, NewLower: difference - width,
		Comparison: Comparison{Difference: difference, Level: .95, Tasks: 40, Clusters: 40},
		New:        Interval{Lo: difference - width, Hi: difference + width}, Within: .25, Between: .01,
		Reason: "the domain faq is proven worse",
	}
}

func TestConclude(t *testing.T) {
	shown := ruling("cccccccccc", Open, .06, .08)
	shown.LogE, shown.Claim = 9, TheseTasks
	dear := ruling("eeeeeeeeee", Trade, .2, .1)
	dear.LogE, dear.Claim = 9, NewTasks
	dear.Guards = []Guard{{Name: Cost, Of: Mean, Champion: .002, Candidate: .008, Ratio: 4, Interval: Interval{Lo: 3.5, Hi: 4.5}, Most: 1.1, Verdict: GuardFailed}, {Name: Latency, Of: P95, Verdict: GuardPassed}}
	unsure := ruling("ffffffffff", Proven, .1, .05)
	unsure.Guards = []Guard{{Name: Latency, Of: P95, Champion: 1.5, Candidate: 1.8, Ratio: 1.2, Interval: Interval{Lo: .9, Hi: 1.5}, Most: 1.1, Verdict: GuardOpen}}
	same := ruling("dddddddddd", Harmful, 0, .1)
	same.Fixed = true
	design := Design{Tasks: 40, Units: 40, Tonight: 650, Month: 19500, Alpha: 1. / 240}
	for _, c := range []struct {
		name          string
		rulings       []Ruling
		circumstances Circumstances
		verdict       Verdict
		winner        int
		sentence      string
	}{
		{"nothing looked better", nil, Circumstances{Searched: true}, Keep, -1, "so nothing was confirmed"},
		{"hardly behind", nil, Circumstances{Searched: true, Behind: Prospect{Variant: "a", Mean: .03, SD: .04}.behindBy()}, Undecided, -1, "no variant is far enough ahead"},
		{"behind by what does not count", nil, Circumstances{Searched: true, Behind: Prospect{Variant: "a", Mean: .01, SD: .02}.behindBy()}, Keep, -1, "no variant is far enough ahead"},
		{"not ahead", nil, Circumstances{Searched: true, Behind: Prospect{Variant: "a", Mean: -.01, SD: .05}.behindBy()}, Keep, -1, "no variant is ahead"},
		{"here only on an earlier night", nil, Circumstances{Searched: true, Judged: Cause{Kind: CauseJudged, Open: true, Sentence: "it was better on these tasks only"}}, Undecided, -1, "on these tasks only"},
		{"cut short", nil, Circumstances{}, Undecided, -1, "cut short"},
		{"no entry left", nil, Circumstances{Searched: true, Blocked: Cause{Kind: CauseNoEntry, Sentence: "no entry is left this month"}}, Undecided, -1, "was not confirmed: no entry is left this month"},
		{
			"the surer of two",
			[]Ruling{ruling("aaaaaaaaaa", Proven, .2, .18), ruling("bbbbbbbbbb", Proven, .1, .05)},
			Circumstances{Searched: true},
			Adopt, 1, "variant bbbbbbbb is better than the champion on new tasks like these: +10.0 points, 95 % interval for new tasks +5.0 to +15.0, measured on 40 tasks it was never tuned on",
		},
		{
			"a gate refuses the surer of two",
			[]Ruling{ruling("aaaaaaaaaa", Proven, .2, .18), ruling("bbbbbbbbbb", Proven, .1, .05)},
			Circumstances{Searched: true, Refused: []Refusal{{Variant: "bbbbbbbbbb", Proposal: "P1", Gate: "program", Reason: "worse"}}},
			Adopt, 0, "variant aaaaaaaa is better than the champion on new tasks like these",
		},
		{
			"a gate refuses the only one",
			[]Ruling{ruling("aaaaaaaaaa", Open, .03, .08), ruling("bbbbbbbbbb", Proven, .1, .05)},
			Circumstances{Searched: true, Refused: []Refusal{{Variant: "bbbbbbbbbb", Proposal: "P1", Gate: "program", Reason: "worse"}}},
			Refused, -1, `variant bbbbbbbb scored 10.0 points more than the champion on tasks it was never tuned on, but the gate "program" refused its proposal P1: worse`,
		},
		{
			"gates refuse both",
			[]Ruling{ruling("aaaaaaaaaa", Proven, .2, .18), ruling("bbbbbbbbbb", Proven, .1, .05)},
			Circumstances{Searched: true, Refused: []Refusal{{Variant: "bbbbbbbbbb", Proposal: "P1", Gate: "program", Reason: "worse"}, {Variant: "aaaaaaaaaa", Proposal: "P2", Gate: "build", Reason: "no"}}},
			Refused, -1, `refused its proposal P1: worse; variant aaaaaaaa scored 20.0 points more than the champion on tasks it was never tuned on, but the gate "build" refused its proposal P2: no`,
		},
		{
			"a gate that does not run judges no other either",
			[]Ruling{ruling("aaaaaaaaaa", Proven, .2, .18), ruling("bbbbbbbbbb", Proven, .1, .05)},
			Circumstances{Searched: true, Refused: []Refusal{{Variant: "bbbbbbbbbb", Proposal: "P1", Gate: "program", Reason: "no sandbox", NotRun: true}}},
			Refused, -1, `but the gate "program" of its proposal P1 did not run, so nothing is recommended: no sandbox`,
		},
		{"proven after a search cut short", []Ruling{ruling("a", Proven, .1, .05)}, Circumstances{}, Adopt, 0, "new tasks like these"},
		{"goes on", []Ruling{ruling("aaaaaaaaaa", Open, .03, .08)}, Circumstances{Searched: true}, Undecided, -1, "variant aaaaaaaa is not shown to be better, nor is a gain of 5.0 points ruled out (+3.0 points, 95 % interval for new tasks −5.0 to +11.0); its confirmation continues tomorrow: about 4,600 more pairs"},
		{"behind, but open", []Ruling{ruling("a", Open, -.03, .1)}, Circumstances{Searched: true}, Undecided, -1, "its confirmation continues tomorrow"},
		{"on these tasks so far", []Ruling{shown}, Circumstances{Searched: true}, Undecided, -1, "is proven better on these tasks, but not yet on new tasks like these"},
		{"a guard is open", []Ruling{unsure}, Circumstances{Searched: true}, Adopt, 0, "; guard not yet shown to hold: p95 latency 1.5 s → 1.8 s (+20 % [−10, +50], at most +10 %)"},
		{"a guard is broken", []Ruling{ruling("aaaaaaaaaa", Open, .03, .08), dear}, Circumstances{Searched: true}, TradeOff, 1, "it breaks a guard: mean cost $0.002 → $0.008 (+300 % [+250, +350], at most +10 %); whether the gain is worth it"},
		{"a trade beside one within its guards", []Ruling{dear, unsure}, Circumstances{Searched: true}, Adopt, 1, "variant ffffffff"},
		{"on these tasks only", []Ruling{ruling("a", Parked, .3, .4), ruling("b", HereOnly, .06, .08)}, Circumstances{Searched: true}, Undecided, -1, "variant b is proven better on these tasks only"},
		{"parked", []Ruling{ruling("a", Parked, .01, .08)}, Circumstances{Searched: true}, Undecided, -1, "parked, and its evidence"},
		{"ruled out", []Ruling{ruling("a", Open, .01, .03), ruling("b", Parked, .01, .02)}, Circumstances{Searched: true}, Keep, -1, "nothing in the confirmation is better by 5.0 points or more"},
		{"worse", []Ruling{ruling("a", Harmful, -.1, .3)}, Circumstances{Searched: true}, Keep, -1, "proven worse than the champion on these tasks (−10.0 points)"},
		{"fixed, and no better", []Ruling{same}, Circumstances{Searched: true}, Keep, -1, "no better than the champion on these tasks (0.0 points), and a repeat would give the same result"},
		{"vetoed", []Ruling{ruling("a", Vetoed, .1, .05)}, Circumstances{Searched: true}, Keep, -1, "must not replace the champion: the domain faq is proven worse"},
		{"worse, and another variant was held back", []Ruling{ruling("a", Harmful, -.1, .05)}, Circumstances{Searched: true, Blocked: Cause{Kind: CauseNoEntry, Sentence: "no entry is left"}}, Undecided, -1, "no entry is left"},
		{"worse, and the search was cut short", []Ruling{ruling("a", Harmful, -.1, .05)}, Circumstances{}, Undecided, -1, "cut short"},
	} {
		c.circumstances.Design = design
		got := Conclude(c.rulings, c.circumstances)
		if got.Verdict != c.verdict || got.Winner != c.winner || !strings.Contains(got.Sentence, c.sentence) {
			t.Errorf("%s: %s %d %q", c.name, got.Verdict, got.Winner, got.Sentence)
		}
		if !(got.Detectable > 0 && got.Detectable <= 1) {
			t.Errorf("%s: could see %g", c.name, got.Detectable)
		}
	}
}

// TestConcludeProperties checks that only proven variants are adopted, and that no variant
// that may be better by a practical amount is ruled out.
func TestConcludeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rulings := make([]Ruling, rapid.IntRange(0, 4).Draw(t, "n"))
		proven, hope := false, false
		for i := range rulings {
			state := rapid.SampledFrom([]State{Open, Proven, HereOnly, Harmful, Vetoed, Parked}).Draw(t, "state")
			rulings[i] = ruling("v", state, rapid.Float64Range(-.3, .3).Draw(t, "difference"), rapid.Float64Range(.01, .3).Draw(t, "width"))
			proven = proven || state == Proven
			hope = hope || state != Harmful && state != Vetoed && rulings[i].New.Hi >= Practical
		}
		c := Conclude(rulings, Circumstances{Searched: true, Design: Design{Tasks: 40, Units: 40, Tonight: 650, Month: 19500, Alpha: 1. / 240}})
		switch {
		case (c.Verdict == Adopt) != proven, (c.Winner >= 0) != proven:
			t.Fatalf("%s of %+v", c.Verdict, rulings)
		case proven && rulings[c.Winner].State != Proven:
			t.Fatalf("the winner is %s", rulings[c.Winner].State)
		case !proven && hope != (c.Verdict == Undecided):
			t.Fatalf("%s of %+v", c.Verdict, rulings)
		}
	})
}

// TestShown checks that the interval shown is the one for the claim, and that the
// sentence of the night contains it.
func TestShown(t *testing.T) {
	everywhere := func(task, block int) int { return btoi((task+block)%4 == 0) }
	some := func(task, _ int) int { return btoi(task < 3) }
	for name, c := range map[string]struct {
		pairs []Pair
		fixed bool
		about Claim
	}{
		"new tasks":     {blocksOf(20, 8, everywhere), false, NewTasks},
		"these tasks":   {blocksOf(10, 8, some), false, TheseTasks},
		"nothing":       {blocksOf(20, 2, everywhere), false, NewTasks},
		"a fixed agent": {blocksOf(7, 1, func(int, int) int { return 1 }), true, TheseTasks},
		"enough of one": {blocksOf(40, 1, func(int, int) int { return 1 }), true, NewTasks},
	} {
		r := Judge("v", c.pairs, Rule{Alpha: entryAlpha, Fixed: c.fixed})
		i, about := r.Shown()
		want := map[Claim]Interval{NewTasks: r.New, TheseTasks: {Lo: r.Lo, Hi: r.Hi}}[c.about]
		if c.fixed && c.about == TheseTasks {
			want = Interval{Lo: 1, Hi: 1}
		}
		if about != c.about || i != want {
			t.Errorf("%s: %+v is shown for %s", name, i, about)
		}
		words := "interval for " + about.Words() + " " + text.Points(i.Lo) + " to " + text.Points(i.Hi)
		if c.fixed && c.about == TheseTasks {
			words = "(+100.0 points on these tasks; this is exact, because a repeat would give the same result)"
		}
		if said := Conclude([]Ruling{r}, Circumstances{Searched: true}).Sentence; !strings.Contains(said, words) {
			t.Errorf("%s: %q lacks %q", name, said, words)
		}
	}
}
