package render

import (
	"strings"
	"testing"

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
