package render

import (
	"bytes"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// TestClaimNamesItsAssumptions checks that every rendering of a claim about new tasks
// states, with figures, what the claim does not cover (tasks of an unseen kind) and what
// it assumes (differences between nights).
func TestClaimNamesItsAssumptions(t *testing.T) {
	for _, verdict := range []stats.Verdict{archive.Adopt, archive.Trade} {
		r := adoptWorld(t, 0).report()
		d := &r.Agents[0].Decision
		if d.Claim != stats.NewTasks || d.Verdict != archive.Adopt {
			t.Fatalf("%s, %q", d.Verdict, d.Claim)
		}
		d.Verdict = verdict
		e := r.Agents[0].Headline.Evidence
		if e.Night != stats.AssumedNight || !(e.Tail.Unseen > .04 && e.Tail.Unseen < .06) {
			t.Fatalf("a night of %g, %g unseen", e.Night, e.Tail.Unseen)
		}
		for name, render := range map[string]func(b *bytes.Buffer) error{
			"box":      func(b *bytes.Buffer) error { return Box(b, r, TerminalOptions{Width: 80}) },
			"terminal": func(b *bytes.Buffer) error { return Terminal(b, r, TerminalOptions{Width: 160}) },
			"markdown": func(b *bytes.Buffer) error { return Markdown(b, r) },
			"page":     func(b *bytes.Buffer) error { return HTML(b, r) },
		} {
			var b bytes.Buffer
			if err := render(&b); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\u00a0", " ")), " ")
			for _, want := range []string{"up to 4.9 % of new tasks could fail unnoticed", "the gain would be lost if this share reached 24.5 %", "the difference varies from night to night by 2.0 points (standard deviation); measured in 1 night"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in %.3000s", verdict, name, want, text)
				}
			}
		}
	}
}

// TestOpenDomainInTheBox checks that the box names the worst of the open domains.
func TestOpenDomainInTheBox(t *testing.T) {
	domain := func(name string, difference float64, verdict string) model.Domain {
		return model.Domain{Domain: name, Verdict: verdict, Effect: model.Effect{Difference: difference, Lo: difference - .11, Hi: difference + .11}}
	}
	got := domainLine([]model.Domain{domain("a", .2, stats.DomainBetter), domain("b", .01, stats.DomainOpen), domain("c", -.04, stats.DomainOpen)}).raw()
	if want := "a loss of 10 points not ruled out in 2, the worst c −4.0 points [−15.0, +7.0]"; !strings.HasSuffix(got, want) {
		t.Errorf("%q does not end with %q", got, want)
	}
}

// TestMissingDataIsNoLoss checks that there is no warning about lost records if a ruling
// counts missing data, because the ruling then has more tasks than those with results on
// both sides.
func TestMissingDataIsNoLoss(t *testing.T) {
	warned := func(counted bool) bool {
		r := withRuling(t, archive.Adopt, func(_ *archive.AgentResult, r *stats.Ruling) { r.Tasks, r.MissingCounted = 61, counted })
		if n := r.Agents[0].Headline.Tasks; (n == 61) != counted {
			t.Errorf("missing data counted %v: the headline is of %d tasks", counted, n)
		}
		return strings.Contains(strings.Join(r.Agents[0].Health.Warnings, ";"), "but the stored records contain results for both sides on 60 tasks")
	}
	if warned(true) || !warned(false) {
		t.Errorf("warned with missing data counted: %v, and without: %v", warned(true), warned(false))
	}
}

// TestStandingOfWhatIsShownHere checks that complete evidence for these tasks is not
// reported as all the evidence that is needed.
func TestStandingOfWhatIsShownHere(t *testing.T) {
	for part, want := range map[float64]string{.5: "measured 4 times on each task, with 50 % of the evidence needed", 1: "measured 4 times on each task, shown to be better on these tasks but not yet on new ones"} {
		if got := standing(model.Candidate{Blocks: 4, State: stats.Open, LogE: part * 5, Required: 5}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNoiseBesideItsInterval checks that the text explains why an interval that excludes 0
// does not indicate drift.
func TestNoiseBesideItsInterval(t *testing.T) {
	for p, want := range map[float64]string{.2: "no drift was shown", .03: "; drift is reported only for p below .01"} {
		if got := noiseWord(&model.Noise{Effect: model.Effect{Level: .95}, P: p}); !strings.Contains(got.Text, want) {
			t.Errorf("p %g: %s", p, got.Text)
		}
	}
}
