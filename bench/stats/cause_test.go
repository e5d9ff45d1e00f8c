package stats

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ending is everything that the conclusion of a night depends on.
type ending struct {
	rulings []Ruling
	Circumstances
}

func anyEnding(t *rapid.T) ending {
	rulings := make([]Ruling, rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 6}).Draw(t, "rulings"))
	for i := range rulings {
		r := &rulings[i]
		state := rapid.SampledFrom([]State{Open, Proven, HereOnly, Harmful, Vetoed, Parked, Trade}).Draw(t, "state")
		*r = ruling(string(rune('a'+i))+"aaaaaaaaa", state, rapid.Float64Range(-.3, .3).Draw(t, "difference"), rapid.Float64Range(.01, .3).Draw(t, "width"))
		r.Fixed = rapid.Bool().Draw(t, "fixed")
		r.Claim = rapid.SampledFrom([]Claim{NoClaim, TheseTasks, NewTasks}).Draw(t, "claim")
		r.LogE = rapid.SampledFrom([]float64{1, 9}).Draw(t, "evidence")
		r.Guards = []Guard{{Name: "cost", Of: Mean, Ratio: 4, Champion: 1, Candidate: 4, Most: 1.1, Verdict: GuardFailed}}
		if state != Trade {
			r.Guards = []Guard{{Name: "cost", Of: Mean, Ratio: 1, Champion: 1, Candidate: 1, Most: 1.1, Verdict: GuardPassed}}
		}
	}
	best := Prospect{
		Variant: "zzzzzzzzzz", Mean: rapid.Float64Range(-.1, .2).Draw(t, "mean"), SD: .05, Measured: .5, Common: rapid.IntRange(0, 9).Draw(t, "common"),
	}
	return ending{rulings, Circumstances{
		Searched: rapid.Bool().Draw(t, "searched"),
		Blocked: rapid.SampledFrom([]Cause{
			{},
			{},
			{Kind: CauseNoRoom, Subject: "yyyyyyyyyy", Sentence: "tonight's budget leaves no room for the next 80 evaluations of the confirmation"},
			{Kind: CauseNoEntry, Subject: "yyyyyyyyyy", Sentence: "all 12 confirmations allowed in 30 days are used"},
			{Kind: CauseEnough, Subject: "yyyyyyyyyy", Sentence: "3 variants have entered the confirmation tonight, as many as confirm.finalists allows"},
			{Kind: CauseNoBlock, Subject: "yyyyyyyyyy", Sentence: "its confirmation ended before every held-out task had run once with each of the two variants"},
			{Kind: CauseStopped, Sentence: "the run ended before the confirmation did"},
			{Kind: CauseChanged, Sentence: "something that the evidence depends on changed while the run was interrupted, so nothing more was confirmed"},
			best.tooLong(9000, 400),
		}).Draw(t, "blocked"),
		Behind: rapid.SampledFrom([]Cause{{}, best.behindBy()}).Draw(t, "behind"),
		Judged: rapid.SampledFrom([]Cause{{}, {Kind: CauseJudged, Open: rapid.Bool().Draw(t, "judged open"), Subject: "xxxxxxxxxx", Sentence: "no new variant looks better than the champion on the search tasks; variant xxxxxxxx, which does, was confirmed in run 3"}}).Draw(t, "judged"),
		Design: Design{Tasks: 40, Units: 40, Tonight: 650, Month: 19500, Alpha: 1. / 240},
	}}
}

// wording is a phrase that may appear in a sentence only if its condition is true.
type wording struct {
	words string
	true  func([]Ruling, Circumstances) bool
}

func anyRuling(f func(*Ruling) bool) func([]Ruling, Circumstances) bool {
	return func(rulings []Ruling, _ Circumstances) bool {
		return slices.ContainsFunc(rulings, func(r Ruling) bool { return f(&r) })
	}
}

func blockedBy(kind CauseKind) func([]Ruling, Circumstances) bool {
	return func(_ []Ruling, c Circumstances) bool { return c.Blocked.Kind == kind }
}

var wordings = []wording{
	{"is better than the champion on new tasks like these", anyRuling(func(r *Ruling) bool { return r.State == Proven || r.State == Trade })},
	{"it breaks a guard", anyRuling(func(r *Ruling) bool { return r.State == Trade })},
	{"must not replace the champion", anyRuling(func(r *Ruling) bool { return r.State == Vetoed })},
	{"the domain faq is proven worse", anyRuling(func(r *Ruling) bool { return r.State == Vetoed })},
	{"is proven worse than the champion", anyRuling(func(r *Ruling) bool { return r.State == Harmful && !r.Fixed })},
	{"and a repeat would give the same result", anyRuling(func(r *Ruling) bool { return r.State == Harmful && r.Fixed })},
	{"its confirmation continues tomorrow", anyRuling(func(r *Ruling) bool { return r.State == Open })},
	{"parked", anyRuling(func(r *Ruling) bool { return r.State == Parked })},
	{"on these tasks only", anyRuling(func(r *Ruling) bool { return r.State == HereOnly })},
	{"no room for the next", blockedBy(CauseNoRoom)},
	{"confirmations allowed in 30 days", blockedBy(CauseNoEntry)},
	{"as many as confirm.finalists allows", blockedBy(CauseEnough)},
	{"ended before every held-out task had run once", blockedBy(CauseNoBlock)},
	{"the run ended before", blockedBy(CauseStopped)},
	{"while the run was interrupted", blockedBy(CauseChanged)},
	{"a month's confirmations allow", blockedBy(CauseTooLong)},
	{"looked better on the search tasks but was not confirmed", func(_ []Ruling, c Circumstances) bool {
		return !c.Blocked.None() && c.Blocked.Kind != CauseStopped && c.Blocked.Kind != CauseChanged
	}},
	{"the search was cut short", func(_ []Ruling, c Circumstances) bool { return !c.Searched }},
	{"there was anything to confirm", func(r []Ruling, c Circumstances) bool {
		return len(r) == 0 && c.Blocked.None() && c.Behind.None()
	}},
	{"is estimated at", func(_ []Ruling, c Circumstances) bool { return !c.Behind.None() }},
	{"nothing was confirmed: on the search tasks", func(r []Ruling, c Circumstances) bool { return len(r) == 0 && !c.Behind.None() && c.Searched }},
	{"no new variant looks better", func(r []Ruling, c Circumstances) bool { return len(r) == 0 && c.Blocked.None() && !c.Judged.None() }},
	{"nothing tried so far looks better", func(r []Ruling, c Circumstances) bool {
		return len(r) == 0 && c.Blocked.None() && c.Behind.None() && c.Judged.None() && c.Searched
	}},
	{"nothing in the confirmation is better", func(r []Ruling, _ Circumstances) bool {
		return !slices.ContainsFunc(r, func(r Ruling) bool { return r.kind() != CauseRuledOut })
	}},
	{"nothing else in the confirmation is better", anyRuling(func(r *Ruling) bool { return r.kind() == CauseRuledOut })},
	{"before anything looked better", func([]Ruling, Circumstances) bool { return false }},
}

// TestVerdictsNameTrueCauses checks that the sentence of any night contains only phrases
// that are true, that its causes cover every ruling, and that the first cause decides the
// verdict.
func TestVerdictsNameTrueCauses(t *testing.T) {
	seen := map[string]bool{}
	endings := rapid.Custom(anyEnding)
	for seed := range 1500 {
		e := endings.Example(seed)
		rulings, c := e.rulings, e.Circumstances
		got := Conclude(rulings, c)
		for _, w := range wordings {
			said := strings.Contains(got.Sentence, w.words)
			if said && !w.true(rulings, c) {
				t.Fatalf("%s says %q, which is not so: %s", got.Verdict, w.words, got.Sentence)
			}
			if said {
				seen[w.words] = true
			}
		}
		if got.Sentence == "" || len(got.Causes) == 0 {
			t.Fatalf("%s without a cause", got.Verdict)
		}
		for i := range rulings {
			r := &rulings[i]
			if !slices.ContainsFunc(got.Causes, func(c Cause) bool { return c.Subject == r.Variant && c.Kind == r.kind() }) {
				t.Fatalf("no cause is the %s of %s", r.kind(), r.Variant)
			}
		}
		lead := got.Causes[0].Kind
		want := map[Verdict]bool{
			Adopt: lead == CauseProven, TradeOff: lead == CauseTrade,
			Keep: slices.Contains([]CauseKind{CauseVetoed, CauseHarmful, CauseRuledOut, CauseBehind, CauseJudged, CauseNothing}, lead),
			Undecided: slices.ContainsFunc(got.Causes, func(c Cause) bool {
				return c.Open || !slices.Contains([]CauseKind{CauseProven, CauseTrade, CauseVetoed, CauseHarmful, CauseRuledOut, CauseBehind, CauseJudged, CauseNothing}, c.Kind)
			}),
		}
		if got.Verdict == Keep && len(rulings) == 0 && slices.ContainsFunc(got.Causes, func(c Cause) bool { return c.Open }) {
			t.Fatalf("keep, though nothing is ruled out: %s", got.Sentence)
		}
		if !want[got.Verdict] {
			t.Fatalf("%s because of %+v", got.Verdict, got.Causes)
		}
		// A candidate with a final ruling is named before a lack of budget is.
		if at := strings.Index(got.Sentence, "no room for the next"); at >= 0 {
			if veto := strings.Index(got.Sentence, "must not replace"); veto > at {
				t.Fatalf("the budget comes before the veto: %s", got.Sentence)
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Fatal(err)
		}
	}
	var never []string
	for _, w := range wordings {
		if !seen[w.words] && w.words != "before anything looked better" {
			never = append(never, w.words)
		}
	}
	if len(never) > 0 { // phrases that no case exercised
		t.Errorf("these were never said: %q", never)
	}
}

// TestAllVetoed checks that if all finalists were vetoed, the cause is the vetoes, with
// their figures, and not the lack of budget for the next finalist.
func TestAllVetoed(t *testing.T) {
	c := Conclude([]Ruling{ruling("aaaaaaaaaa", Vetoed, .1, .05), ruling("bbbbbbbbbb", Vetoed, .2, .05)}, Circumstances{Searched: true})
	want := "the candidate aaaaaaaa must not replace the champion: the domain faq is proven worse; the candidate bbbbbbbb must not replace the champion: the domain faq is proven worse"
	if c.Verdict != Keep || c.Sentence != want {
		t.Errorf("%s: %s", c.Verdict, c.Sentence)
	}
}

// TestBehindNamesBothFigures checks that both the estimate shrunk towards 0 and the
// measured difference are named.
func TestBehindNamesBothFigures(t *testing.T) {
	_, _, why := Promote([]Prospect{{Variant: "aaaaaaaaaa", Mean: .043, SD: .06, Measured: .5, Common: 6}}, 1./240, .5, 1e6)
	want := "no variant is far enough ahead of the champion to be confirmed: the best, variant aaaaaaaa, is estimated at +4.3 points (standard deviation 6.0; measured +50.0 on the 6 search tasks that it shares with the champion, a result that may be too high, because the variant was selected for it)"
	if why.Sentence != want || why.Figures["estimated"] != .043 || why.Figures["measured"] != .5 {
		t.Errorf("%+v", why)
	}
	whole := Conclude(nil, Circumstances{Searched: true, Behind: why})
	cut := Conclude(nil, Circumstances{Behind: why})
	if whole.Verdict != Undecided || !strings.Contains(whole.Sentence, want) || cut.Verdict != Undecided || !strings.Contains(cut.Sentence, "the search was cut short, and so far "+want) {
		t.Errorf("%+v %+v", whole, cut)
	}
}
