package experience

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// referring simulates the referrals by a tool over sixty days, oldest first. Each referral
// has one of the causes and names each axis of that cause with a chance of .7, but at least
// one axis. A cause has one to three axes. noise is the chance that a referral also names
// one of thirty other axes, and alone is the chance that it names only such an axis.
func referring(r *rand.Rand, n, causes int, noise, alone float64) []Referral {
	share := .3 + .4*r.Float64() // share of the first of two causes
	var axes [2]int
	for i := range axes {
		axes[i] = 1 + r.IntN(3)
	}
	out := make([]Referral, n)
	for i := range out {
		cause := 0
		if causes == 2 && r.Float64() >= share {
			cause = 1
		}
		var named []string
		for a := range axes[cause] {
			if r.Float64() < .7 {
				named = append(named, fmt.Sprintf("cause%d axis%d", cause, a))
			}
		}
		if len(named) == 0 {
			named = append(named, fmt.Sprintf("cause%d axis%d", cause, r.IntN(axes[cause])))
		}
		other := fmt.Sprintf("noise %d", r.IntN(30))
		switch x := r.Float64(); {
		case x < alone:
			named = []string{other}
		case x < alone+noise:
			named = append(named, other)
		}
		slices.Sort(named)
		out[i] = Referral{Axes: named, Time: day.Add(time.Duration(r.IntN(60*24*60)) * time.Minute)}
	}
	slices.SortFunc(out, func(a, b Referral) int { return a.Time.Compare(b.Time) })
	return out
}

// oneWord replaces all noise axes with the same axis.
func oneWord(referrals []Referral) []Referral {
	for i := range referrals {
		for k, a := range referrals[i].Axes {
			if a[0] == 'n' {
				referrals[i].Axes[k] = "noise"
			}
		}
	}
	return referrals
}

// rates returns two shares of tools: the share that has a warning after four to fifty
// referrals, and the share that had a warning on any evening until then.
func rates(t thresholds, tools int, simulate func(r *rand.Rand, n int) []Referral) (end, ever float64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range tools {
		referrals := simulate(r, 4+r.IntN(47))
		warned := func(n int) bool {
			return warning(clusters(referrals[:n], referrals[n-1].Time, t)) != ""
		}
		if warned(len(referrals)) {
			end++
		}
		for n := 1; n <= len(referrals); n++ {
			if warned(n) {
				ever++
				break
			}
		}
	}
	return end / float64(tools), ever / float64(tools)
}

// TestFalseAlarmsOfCohesion reports how often tools with one cause and noise get a warning,
// and how often tools with two causes do.
func TestFalseAlarmsOfCohesion(t *testing.T) {
	const tools, noise, alone = 400, .3, .1
	for _, c := range []struct {
		name                 string
		causes, fewest       int
		oneWord              bool
		least, most, evening float64
	}{
		{"one cause, thirty words of noise", 1, 4, false, 0, .03, .08},
		{"one cause, one word of noise", 1, 4, true, 0, .03, .08},
		{"two causes, thirty words of noise", 2, 4, false, .65, 1, 1},
		{"two causes, one word of noise", 2, 4, true, .5, 1, 1},
		{"two causes after twenty referrals", 2, 20, false, .85, 1, 1},
	} {
		end, ever := rates(tuned(), tools, func(r *rand.Rand, n int) []Referral {
			referrals := referring(r, max(n, c.fewest), c.causes, noise, alone)
			if c.oneWord {
				return oneWord(referrals)
			}
			return referrals
		})
		t.Logf("%s: %.3f of the tools have a warning at the end, %.3f had one after some referral", c.name, end, ever)
		if end < c.least || end > c.most || ever > c.evening {
			t.Errorf("%s: not within [%g, %g] and at most %g", c.name, c.least, c.most, c.evening)
		}
	}
}

// refer returns n calls that were referred with these axes.
func refer(n int, tool string, axes ...string) []Call {
	return times(n, Call{Tool: tool, Outcome: agent.WrongToolBoundary, Axes: axes})
}

func TestClustersCountEachReferralOnce(t *testing.T) {
	e := used(slices.Concat(
		refer(4, "calc", "exchange rates", "live data"), refer(2, "calc", "live data"), refer(1, "calc", "live data", "geography"),
		refer(4, "calc", "geography"), refer(1, "calc", "poems"), refer(9, "other", "geography"),
	)...)
	type short struct {
		axes  []string
		n     int
		group bool
	}
	var got []short
	weight := 0.
	for _, c := range e.Clusters("calc") {
		got = append(got, short{c.Axes, c.Referrals, c.Group})
		weight += c.Share
	}
	want := []short{{[]string{"exchange rates", "live data"}, 7, true}, {[]string{"geography"}, 4, true}, {[]string{"poems"}, 1, false}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(short{})); diff != "" {
		t.Error(diff)
	}
	if weight < .999999 || weight > 1.000001 {
		t.Errorf("the shares sum up to %g", weight)
	}
	if got, want := e.CohesionWarning("calc"), `low cohesion: 11 referrals fall into 2 groups: "exchange rates", "live data" (7); "geography" (4)`; got != want {
		t.Error(got)
	}
	for _, tool := range []string{"other", "unknown"} {
		if w := e.CohesionWarning(tool); w != "" {
			t.Errorf("%s: %s", tool, w)
		}
	}
}

func TestFewAmongManyAreNoGroup(t *testing.T) {
	e := used(slices.Concat(refer(4, "t", "a rare one"), refer(40, "t", "frequent"))...)
	all := e.Clusters("t")
	if len(all) != 2 || all[0].Axes[0] != "frequent" || !all[0].Group || all[1].Group {
		t.Errorf("%+v", all)
	}
}

func TestClustersOfManyAxesAreBounded(t *testing.T) {
	var calls []Call
	for i := range maxReferrals - 2 {
		calls = append(calls, refer(1, "t", fmt.Sprintf("axis%02d", i))...)
	}
	e := used(append(calls, refer(2, "t", "axis00")...)...)
	if all := e.Clusters("t"); len(all) != clusteredAxes || all[0].Axes[0] != "axis00" || all[0].Referrals != 3 {
		t.Errorf("%d clusters, the first %+v", len(all), all[0])
	}
}

func TestReferralsOfAllMethodsCountByTime(t *testing.T) {
	var e Experience
	for i, cause := range []string{"first", "second", "third", ""} {
		call := Call{Tool: "t", Method: []string{"b", "a"}[i%2], Outcome: agent.WrongToolBoundary, Axes: []string{"x"}, Cause: cause}
		e.Learn(Turn{Time: day.AddDate(0, 0, i), Calls: []Call{call}})
	}
	a := e.Advice("t")
	if len(a.Clusters) != 1 || a.Referrals != 4 || a.First != day || a.Last != day.AddDate(0, 0, 3) || a.Clusters[0].First != a.First || a.Clusters[0].Last != a.Last || a.Clusters[0].Cause != "third" {
		t.Errorf("%+v", a)
	}
}

func TestSpellingsOfAnAxisCountAsOne(t *testing.T) {
	e := used(slices.Concat(
		refer(4, "t", "exchange rates"), refer(4, "t", "exchange rate"), refer(1, "t", "exchange rate", "rates of exchange"),
		refer(4, "u", "the rate of exchange"), refer(1, "v", "—"),
	)...)
	got := e.Clusters("t")
	if len(got) != 1 || got[0].Referrals != 9 || !slices.Equal(got[0].Axes, []string{"exchange rates"}) {
		t.Errorf("%+v", got)
	}
	if a := e.Advice("t"); a.Warning != "" || !slices.Equal(a.Shared, []string{"u"}) {
		t.Errorf("%+v", a)
	}
	if c := e.Clusters("v"); len(c) != 1 || c[0].Axes[0] != "—" {
		t.Errorf("%+v", c)
	}
}

func TestOldReferralsWeighLess(t *testing.T) {
	for _, c := range []struct {
		days int
		want float64
	}{{-1, 1}, {0, 1}, {30, .625}, {60, .4375}, {36500, .25}} {
		if got := weightOf(Referral{Time: day}, day.AddDate(0, 0, c.days)); got != c.want {
			t.Errorf("after %d days: %g, not %g", c.days, got, c.want)
		}
	}
	// Four referrals make a group as long as they are recent.
	e := used(slices.Concat(refer(4, "t", "a"), refer(4, "t", "b"))...)
	if e.CohesionWarning("t") == "" {
		t.Error("no warning")
	}
	e.Learn(Turn{Time: day.AddDate(0, 3, 0), Calls: []Call{{Tool: "t", Outcome: agent.OK}}})
	if w := e.CohesionWarning("t"); w != "" {
		t.Errorf("three months later: %s", w)
	}
}

func TestAdvice(t *testing.T) {
	two := slices.Concat(refer(4, "t", "a"), refer(4, "t", "b"))
	call := func(n int, o agent.Outcome) []Call { return times(n, Call{Tool: "t", Outcome: o}) }
	var each []Call
	for i := range scattered {
		each = append(each, refer(1, "t", fmt.Sprint("axis", i))...)
	}
	for _, c := range []struct {
		name   string
		calls  []Call
		want   Remedy
		reason string
		shared []string
		warned bool
	}{
		{"no history", nil, Retain, "0 referrals in 0 judged calls show no pattern", nil, false},
		{"two groups", two, Split, "its referrals fall into 2 groups", nil, true},
		{"two groups of a healthy tool", slices.Concat(two, call(40, agent.OK)), Retain, "40 of 48 judged calls succeeded", nil, true},
		{"a group", refer(4, "t", "a"), Tighten, `its referrals name the same axes: "a"`, nil, false},
		{"a group that another tool lacks", slices.Concat(refer(4, "t", "a", "x"), refer(5, "u", "x", "y")), Recompose, `its referrals name axes that other tools also lack: "a", "x"`, []string{"u"}, false},
		{"a group beside another tool's noise", slices.Concat(refer(4, "t", "a"), refer(1, "u", "a")), Tighten, `its referrals name the same axes: "a"`, nil, false},
		{"repeated low utility", slices.Concat(call(9, agent.OK), call(3, agent.LowUtility)), Recompose, "3 of 12 judged calls ended in low_utility", nil, false},
		{"low utility of a few calls among many", slices.Concat(call(10, agent.OK), call(3, agent.LowUtility), call(10, agent.Timeout)), Retain, "0 referrals in 23 judged calls show no pattern", nil, false},
		{"repeated invalid calls", slices.Concat(call(1, agent.OK), call(3, agent.ContractViolation), call(20, agent.Denied)), Tighten, "3 of 4 judged calls ended in contract_violation", nil, false},
		{"two weak answers", slices.Concat(call(1, agent.OK), call(2, agent.LowUtility)), Retain, "0 referrals in 3 judged calls show no pattern", nil, false},
		{"axes without a pattern", each, Tighten, "its last 8 referrals name axes too scattered to form a group", nil, false},
		{"one referral", refer(1, "t", "a"), Retain, "1 referral in 1 judged call shows no pattern", nil, false},
		{"few referrals", refer(2, "t", "a"), Retain, "2 referrals in 2 judged calls show no pattern", nil, false},
	} {
		e := used(c.calls...)
		a := e.Advice("t")
		if a.Remedy != c.want || a.Reason != c.reason || !slices.Equal(a.Shared, c.shared) || (a.Warning != "") != c.warned {
			t.Errorf("%s: %s, because %s; shared %q, warning %q", c.name, a.Remedy, a.Reason, a.Shared, a.Warning)
		}
		referrals := 0
		for _, cluster := range a.Clusters {
			referrals += cluster.Referrals
		}
		if referrals != a.Referrals || referrals > 0 && (a.First != day || a.Last.Before(a.First)) {
			t.Errorf("%s: evidence %+v", c.name, a)
		}
	}
}

// TestClustersOfAnyReferrals tests that clusters count each referral once, in shares that
// add up to 1, and that they depend only on the referrals.
func TestClustersOfAnyReferrals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axes := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-f]`), 1, 4, rapid.ID[string])
		var calls []Call
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			calls = append(calls, refer(1, "t", axes.Draw(t, "axes")...)...)
		}
		e := used(calls...)
		all := e.Clusters("t")
		n, share, seen := 0, 0., map[string]bool{}
		for _, c := range all {
			n += c.Referrals
			share += c.Share
			if !slices.IsSorted(c.Axes) || c.First.After(c.Last) || c.Weight > float64(c.Referrals)+1e-9 || c.Weight < oldWeight*float64(c.Referrals) {
				t.Fatalf("%+v", c)
			}
			for _, a := range c.Axes {
				if seen[a] {
					t.Fatalf("axis %q is in two clusters", a)
				}
				seen[a] = true
			}
		}
		if want := min(len(calls), maxReferrals); n != want || n > 0 && (share < 1-1e-9 || share > 1+1e-9) {
			t.Fatalf("%d of %d referrals, shares of %g", n, want, share)
		}
		if diff := cmp.Diff(all, e.Clusters("t")); diff != "" {
			t.Fatal(diff)
		}
	})
}
