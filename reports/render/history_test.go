package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// TestHistory checks that the index shows the history of a champion over months: what was
// adopted, the predicted and the observed gain of each adoption, the rollbacks, and a fall.
func TestHistory(t *testing.T) {
	var runs []model.Summary
	champion := 1
	for i := range 120 {
		s := model.Summary{Run: "r", Number: i + 1, State: archive.RunDone, Started: night.AddDate(0, 0, i)}
		a := model.AgentSummary{
			Agent: "helpdesk", Verdict: archive.Keep, Champion: model.Ref{ID: "c", Number: champion}, Variant: &model.Ref{ID: "v", Number: champion + 1},
			Effect: &model.Effect{Champion: .5, Score: .58, Difference: .08, Lo: .031, Hi: .13, Level: .95, Of: stats.NewTasks},
		}
		switch i {
		case 10, 60:
			a.Verdict = archive.Adopt
			a.States = []model.ProposalNow{{ID: map[int]string{10: "P1", 60: "P2"}[i], State: map[int]archive.ProposalState{10: archive.Adopted, 60: archive.RolledBack}[i], Decision: &archive.DecisionBrief{Action: "approve", By: "Kim", Time: s.Started.AddDate(0, 0, 1)}}}
			champion++
		case 40, 41:
			a.Observed = &model.Observed{Proposal: "P1", Difference: .05 + .001*float64(i), Lo: .01, Hi: .12, Nights: i - 10}
		case 90:
			fell := .08
			a.Fell = &fell
		}
		s.Agents = []model.AgentSummary{a}
		runs = append([]model.Summary{s}, runs...)
	}
	page := strings.ReplaceAll(index(t, runs), "&#43;", "+")
	at := 0
	for _, want := range []string{
		"It was v1 at first and is v3 now.", ">Jan 2027</text>", ">Feb</text>", "champion v2 from 1 Dec 2026", "champion v3 from",
		"What became of the champions",
		`<bdi>fell by 8.0 points</bdi></span></td><td>v3</td>`,
		`<bdi>P2 adopted and rolled back</bdi></span></td><td>v2 → v3</td><td class="fig" data-name="predicted">+8.0 [+3.1, +13.0]</td><td class="fig" data-name="observed"></td>`,
		`<bdi>P1 adopted</bdi></span></td><td>v1 → v2</td><td class="fig" data-name="predicted">+8.0 [+3.1, +13.0]</td><td class="fig" data-name="observed">+9.1 [+1.0, +12.0], 31 nights</td><td class="wrap" data-name="by"><bdi>Kim</bdi></td>`,
	} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("the index lacks %s after %d bytes", want, at)
		}
		at += i
	}
	if strings.Contains(index(t, runs[len(runs)-5:]), "What became of the champions") {
		t.Error("nights without an event have a history")
	}
}

// TestOneFallIsOneEvent checks that consecutive nights that show one fall are one event,
// whose size is taken from the latest night, and that a second fall is another event. The
// picture marks a fall even if no later night has measured the champion.
func TestOneFallIsOneEvent(t *testing.T) {
	day := func(i int) time.Time { return night.AddDate(0, 0, i) }
	var runs []model.Summary
	for i := range 12 {
		a := model.AgentSummary{Agent: "web", Verdict: archive.Keep, Champion: model.Ref{ID: "c", Number: 1}}
		if i < 4 {
			a.Variant, a.Effect = &model.Ref{ID: "v", Number: 2}, &model.Effect{Champion: .8, Score: .8, Level: .95, Of: stats.NewTasks}
		}
		fell := .3 + .001*float64(i)
		switch {
		case i >= 9: // a second fall
			a.Fell, a.FellSince = &fell, day(8)
		case i >= 5: // the first one, which began a night earlier
			a.Fell, a.FellSince = &fell, day(4)
		}
		if i == 6 {
			a.FellSince = day(5) // another estimate of the same fall
		}
		if i == 8 {
			a.Fell, a.FellSince = nil, time.Time{} // the scores had recovered
		}
		runs = append([]model.Summary{{Run: fmt.Sprintf("%d-00000001", i+1), Number: i + 1, State: archive.RunDone, Started: day(i), Agents: []model.AgentSummary{a}}}, runs...)
	}
	rows, _ := historyOf(runs)
	got := make([]string, len(rows))
	for i, r := range rows {
		got[i] = r.Date + ": " + r.What + " " + r.Observed
	}
	want := []string{"28 Nov 2026: fell by 31.1 points in 3 nights", "24 Nov 2026: fell by 30.7 points in 3 nights"}
	if !slices.Equal(got, want) {
		t.Errorf("the events are %q, want %q", got, want)
	}
	page := index(t, runs)
	if n := strings.Count(page, `class="mark worse"`); n != 2 {
		t.Errorf("the picture has %d marks of falls, want 2", n)
	}
	for _, want := range []string{"it was measured in 4 nights", "The line has no point for a night that did not open its holdout", "champion has fallen by 31.1 points since 28 Nov 2026"} {
		if !strings.Contains(page, want) {
			t.Errorf("the index lacks %q", want)
		}
	}
}

// TestHistoryOnNarrowScreens checks that the rows of the history wrap on a narrow screen,
// each figure with its name, because the table has no headings there.
func TestHistoryOnNarrowScreens(t *testing.T) {
	page := index(t, manyNights(50))
	for _, want := range []string{`<table class="stacked"><caption>Adoptions`, `data-name="predicted"`, `data-name="observed"`, `data-name="by"`, `.stacked td[data-name]::before`, `.scroll caption { max-width:`} {
		if !strings.Contains(page, want) {
			t.Errorf("the index lacks %s", want)
		}
	}
}
