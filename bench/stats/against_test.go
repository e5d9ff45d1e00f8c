package stats

import (
	"strings"
	"testing"
)

// waits returns a reference to a pending proposal whose gain over the champion, measured
// in three comparisons, is 48.1 points.
func waits() *Reference {
	return &Reference{Proposal: "P3", Variant: "d377aecc", Number: 352, Champion: 1, Steps: 3, Difference: .481, Interval: Interval{Lo: .479, Hi: .482}}
}

// TestReferenceIsNamed checks that sentences about candidates measured against a pending
// proposal make no claim about the champion, except for the proposal's own gain.
func TestReferenceIsNamed(t *testing.T) {
	t.Parallel()
	pairs := func(gain float64) []Pair {
		var out []Pair
		for i := range 40 {
			out = append(out, Pair{Task: string(rune('a' + i)), Weight: 1, A: []float64{.5}, B: []float64{.5 + gain + .001*float64(i%3)}})
		}
		return out
	}
	for name, c := range map[string]struct {
		gain  float64
		guard []Bound
		want  string
	}{
		"better":    {.038, nil, "is better than P3 (v352, awaiting a decision) on new tasks like these: +3.9 points"},
		"worse":     {-.03, nil, "is no better than P3 (v352, awaiting a decision) on these tasks (−2.9 points)"},
		"no change": {0, nil, "P3 (v352, awaiting a decision)"},
	} {
		r := Judge("a5b27c8b", pairs(c.gain), Rule{Alpha: .004, Fixed: true, Guards: c.guard, Reference: waits()})
		got := Conclude([]Ruling{r}, Circumstances{Searched: true, Reference: waits()})
		if !strings.Contains(got.Sentence, c.want) || strings.Contains(got.Sentence, "the champion") {
			t.Errorf("%s: %s", name, got.Sentence)
		}
		if got.Verdict == Adopt && (!strings.Contains(got.Sentence, "P3 against v1: +48.1 points [+47.9, +48.2], the sum of 3 comparisons") ||
			!strings.Contains(got.Sentence, "the gain over P3 would be lost if")) {
			t.Errorf("%s: %s", name, got.Sentence)
		}
	}
	for name, c := range map[string]Circumstances{
		"nothing":    {Searched: true, Reference: waits()},
		"behind":     {Searched: true, Reference: waits(), Behind: Prospect{Variant: "b", Mean: .01, SD: .02, Reference: waits()}.behindBy()},
		"far behind": {Searched: true, Reference: waits(), Behind: Prospect{Variant: "b", Mean: -.01, SD: .02, Reference: waits()}.behindBy()},
	} {
		if got := Conclude(nil, c).Sentence; !strings.Contains(got, "P3 (v352, awaiting a decision)") || strings.Contains(got, "the champion") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestReferenceAdds checks that the gain over the champion is the sum along the chain of
// proposals, and is unknown if any link is unknown.
func TestReferenceAdds(t *testing.T) {
	t.Parallel()
	own := Ruling{Comparison: Comparison{Difference: .038}, New: Interval{Lo: .037, Hi: .039}, Claim: NewTasks, Reference: waits()}
	var next Reference
	next.Add(&own)
	if next.Steps != 4 || next.Difference != .481+.038 || next.Lo != .479+.037 || next.Hi != .482+.039 {
		t.Errorf("%+v", next)
	}
	own.Reference = &Reference{Proposal: "P3"}
	next.Add(&own)
	if next.Steps != 0 || next.Difference != 0 || !strings.Contains(next.Gain(), "not measured") {
		t.Errorf("%+v: %s", next, next.Gain())
	}
	if got := waits().BreakEven(Comparison{Difference: .038, MeanB: .777}); got < .667 || got > .669 {
		t.Errorf("the gain over the champion is lost at %v", got)
	}
}

// TestLeftOutIsTheCause checks that if a night keeps the champion because the better
// variants were refused, the night gives the refusals as the cause.
func TestLeftOutIsTheCause(t *testing.T) {
	t.Parallel()
	left := Cause{Kind: CauseLeftOut, Sentence: "everything that looks better (2 variants) is the same as, or close to, P1"}
	for _, c := range []Circumstances{
		{Searched: true, LeftOut: left},
		{Searched: true, LeftOut: left, Behind: Prospect{Variant: "b"}.behindBy()},
	} {
		if got := Conclude(nil, c); got.Verdict != Keep || len(got.Causes) != 1 || got.Causes[0].Kind != CauseLeftOut || got.Sentence != left.Sentence {
			t.Errorf("%+v", got)
		}
	}
}
