//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
)

// draftCounts reads a report. It returns the counts of requests to the models of
// search.reflect, and the untried drafts.
func (p place) draftCounts(run string) (d archive.DraftTally, untried []archive.UntriedDraft) {
	p.t.Helper()
	var report struct {
		Agents []struct {
			Drafts *struct {
				Tallies []archive.DraftTally
				Untried []archive.UntriedDraft
			}
		}
	}
	if err := json.Unmarshal([]byte(p.do(0, "report", "--workspace", p.root, "--json", run).stdout), &report); err != nil {
		p.t.Fatal(err)
	}
	if len(report.Agents) == 1 && report.Agents[0].Drafts != nil {
		untried = report.Agents[0].Drafts.Untried
		for _, t := range report.Agents[0].Drafts.Tallies {
			if t.Choice == "route" {
				d = t
			}
		}
	}
	return d, untried
}

// TestModelWrites runs a night in which a real language model proposes instructions, some
// of which are evaluated.
func TestModelWrites(t *testing.T) {
	l := listen(t, modelURL(t))
	c := reviews(t)
	p := c.workspace(t, served(l.URL+"/night/v1")+`search: {reflect: {routes: [writer], every: 4}}
`)
	p.replace("evolve.yaml", "routes:\n", fmt.Sprintf("routes:\n  writer: {provider: writer, model: smollm2, temperature: 0.7, max_tokens: %d, context: 1024}\n", 120))
	p.replace("evolve.yaml", "providers:\n", fmt.Sprintf("providers:\n  writer: {kind: openai, base_url: %q}\n", l.URL+"/writer/v1"))
	p.replace("agents/clerk/agent.yaml", "  demonstrations: {}\n", "")
	o := decodeOutcome(t, p.do(0, "run", "--workspace", p.root, "--json", "--seed", "1", "--stages", "search", "--budget-evals", "100", "--concurrency", "2"))
	report := p.do(0, "report", "--workspace", p.root, o.Run).stdout
	tally, untried := p.draftCounts(o.Run)
	var replies strings.Builder
	for _, x := range l.exchanges("writer") {
		fmt.Fprintf(&replies, "%.400q\n", x.reply)
	}
	t.Logf("%d asked, %d tried, %d without an answer; %v\n%s\n%s", tally.Calls, tally.Drafts, tally.Failed, untried, &replies, report)
	if tally.Calls < 3 || tally.Drafts == 0 {
		t.Error("no draft was tried")
	}
}
