package render

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/reports/model"
)

// patchesWorld is a quiet night in a workspace with patches of every kind.
func patchesWorld(t testing.TB, salt int) *world {
	w := keepWorld(t, salt)
	was := "package cache\n\n// Size is how many entries there are room for.\nconst Size = 64\n"
	add := func(state archive.ProposalState, title string, at time.Duration, change func(*archive.ProposalRecord)) {
		p := archive.ProposalRecord{
			Kind: archive.KindPatch, State: state, Agent: "aide", Title: "patch for code: " + title, Rationale: title + ", as measured", Created: w.run.Started.Add(at),
			Files: []archive.FileChange{{Path: "cache/cache.go", Old: []byte(was), New: []byte(strings.Replace(was, "64", "128\t// more", 1))}},
			Gates: []archive.GateVerdict{{Gate: "apply", Verdict: "passed", Evidence: "1 file"}, {Gate: "affected", Verdict: "passed", Evidence: "7 tests pass"}},
			Patch: &archive.PatchBrief{Target: "code", Author: "aide", Origin: "agent", Digest: strings.Repeat("ab", 32), Sandbox: "namespaces"},
		}
		change(&p)
		_, err := w.a.NewProposal(w.ctx, p)
		w.must(err)
	}
	add(archive.Awaiting, "room for more", time.Minute, func(p *archive.ProposalRecord) {
		p.Patch.Gain = "sec/op better by 12 %"
		p.Patch.Review = &archive.Review{Reviewer: "clerk", Approve: true, Reasons: "small and plain", Digest: p.Patch.Digest}
	})
	add(archive.HumanLane, "no table", 2*time.Minute, func(p *archive.ProposalRecord) {
		p.Gates[1] = archive.GateVerdict{Gate: "mutants", Verdict: "flagged", Evidence: "Size may panic without a test noticing"}
		p.Patch.Review = &archive.Review{Reviewer: "clerk", Approve: true, Reasons: "fine", Digest: "of before"}
		p.Files = append(p.Files, archive.FileChange{Path: "cache/new.go", New: []byte("package cache\n" + strings.Repeat("// more\n", 500))})
	})
	add(archive.GateFailed, "skip the tests", 3*time.Minute, func(p *archive.ProposalRecord) {
		p.Gates[1] = archive.GateVerdict{Gate: "scope", Verdict: "failed", Evidence: "cache/cache_test.go: test: it is not the patch's to change"}
	})
	add(archive.GateFailed, "tuned", 4*time.Minute, func(p *archive.ProposalRecord) {
		p.Patch.Review = &archive.Review{Reviewer: "clerk", Reasons: "it knows the test's inputs", Digest: p.Patch.Digest}
	})
	add(archive.Rejected, "unwanted", 5*time.Minute, func(p *archive.ProposalRecord) {
		p.Decision = &archive.DecisionBrief{Action: "reject", By: "Robin", Reason: "not now"}
	})
	add(archive.Adopted, "old", 6*time.Minute, func(*archive.ProposalRecord) {})
	return w
}

func TestPatchesOfARun(t *testing.T) {
	r := patchesWorld(t, 0).report()
	var got []string
	for _, p := range r.Volatile.Patches {
		got = append(got, p.ID)
	}
	// Patches that await a person come first, then the stopped patches, the latest first.
	if want := "P1 P2 P5 P4 P3"; !strings.HasPrefix(strings.Join(got, " "), want) {
		t.Errorf("patches %v, want %s", got, want)
	}
	lines := 0
	for _, f := range r.Volatile.Patches[1].Files {
		lines += len(f.Lines)
	}
	if lines > model.MaxPatchLines+len(r.Volatile.Patches[1].Files) {
		t.Errorf("%d lines are shown", lines)
	}
	for _, s := range []string{"vetoed it: it knows", "scope: cache/cache_test.go", "Robin: not now"} {
		found := false
		for _, p := range r.Volatile.Patches {
			found = found || strings.Contains(p.Stopped(), s)
		}
		if !found {
			t.Errorf("nothing was stopped by %q", s)
		}
	}
}

// TestWhyNoReview checks that every rendering explains why no agent has reviewed a patch,
// shows the cost of the patch, and lists a patch whose gates were stopped.
func TestWhyNoReview(t *testing.T) {
	w := patchesWorld(t, 0)
	for _, u := range []*archive.Unreviewed{nil, {Why: "one reviewer is configured"}, {Reviewer: "clerk", Why: "no route\x1b[31m to host"}} {
		_, err := w.a.NewProposal(w.ctx, archive.ProposalRecord{
			Kind: archive.KindPatch, State: archive.Awaiting, Agent: "aide", Title: "patch for code: unreviewed", Created: w.run.Started.Add(time.Minute),
			Patch: &archive.PatchBrief{Target: "code", Author: "aide", Origin: "agent", Unreviewed: u, CostUSD: .25},
		})
		w.must(err)
	}
	_, err := w.a.NewProposal(w.ctx, archive.ProposalRecord{
		Kind: archive.KindPatch, State: archive.Drafted, Agent: "aide", Title: "patch for code: left", Created: w.run.Started.Add(time.Minute),
		Patch: &archive.PatchBrief{Target: "code", Author: "aide", Origin: "agent"},
	})
	w.must(err)
	w.run.PatchUSD = .75
	w.must(w.a.PutRun(w.ctx, w.run))
	r := w.report()
	if r.Volatile.PatchUSD != .75 || r.Volatile.CostUSD < .75 {
		t.Errorf("%g of %g USD were paid for patches", r.Volatile.PatchUSD, r.Volatile.CostUSD)
	}
	var whys []string
	for _, p := range r.Volatile.Patches {
		if p.CostUSD == .25 {
			whys = append(whys, p.NoReview)
		}
	}
	if got := strings.Join(whys, "|"); got != "|one reviewer is configured|clerk was asked for a review but gave no verdict: no route\x1b[31m to host" {
		t.Errorf("%q", got)
	}
	wide := func(w io.Writer, r model.Report) error { return Terminal(w, r, TerminalOptions{Width: 100}) }
	for name, show := range map[string]func(io.Writer, model.Report) error{"markdown": Markdown, "html": HTML, "terminal": wide} {
		text := strings.Join(strings.Fields(rendered(t, show, r)), " ")
		for _, want := range []string{"none yet by another agent", "none by another agent, because ", "one reviewer is configured", "clerk was asked for a review but gave no verdict: no route", "$0.25", "of it for patches", "its gates did not finish"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if strings.Contains(text, "\x1b[31m") {
			t.Errorf("%s acts on the terminal", name)
		}
	}
}

// TestPatchLine checks that the line next to the decisions names a few of the waiting
// patches and points to the sections about them.
func TestPatchLine(t *testing.T) {
	of := func(states ...archive.ProposalState) (list []model.Patch) {
		for i, s := range states {
			list = append(list, model.Patch{ID: fmt.Sprintf("P%d", i+1), State: s})
		}
		return list
	}
	for want, list := range map[string][]model.Patch{
		"":                       nil,
		"P1 awaits a person":     of(archive.Awaiting),
		"1 not offered":          of(archive.Rejected),
		"P1 waits for its gates": of(archive.Drafted),
		"P2 awaits a person · P1, P3 wait for their gates": of(archive.Drafted, archive.Awaiting, archive.Drafted),
		"P2 flagged for a person · 1 not offered":          of(archive.GateFailed, archive.HumanLane),
		"P1, P2, P3 and 2 more await a person":             of(archive.Awaiting, archive.Approved, archive.Awaiting, archive.Awaiting, archive.Awaiting),
	} {
		if got := patchLine(list).raw(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	page := rendered(t, HTML, patchesWorld(t, 0).report())
	for _, id := range []string{"patches", "patches-stopped"} {
		if !strings.Contains(page, `href="#`+id+`"`) || !strings.Contains(page, `id="`+id+`"`) {
			t.Errorf("nothing leads to %s", id)
		}
	}
}

// TestDraftsOfEarlierNights checks that a draft stays in the report of the latest night,
// with the reason why it waits.
func TestDraftsOfEarlierNights(t *testing.T) {
	w := patchesWorld(t, 0)
	w.must(w.a.PutRun(w.ctx, archive.Run{ID: "before", Number: w.run.Number - 1, State: archive.RunDone, Started: w.run.Started.AddDate(0, 0, -1)}))
	for _, state := range []archive.ProposalState{archive.Drafted, archive.GateFailed} {
		_, err := w.a.NewProposal(w.ctx, archive.ProposalRecord{
			Kind: archive.KindPatch, State: state, Agent: "aide", Title: "patch for code: old", Created: w.run.Started.AddDate(0, -1, 0),
			Patch: &archive.PatchBrief{Target: "code", Author: "aide", Origin: "blocks", Variant: "v", Waits: "the limit\x1b[31m; the next patch is possible at noon"},
		})
		w.must(err)
	}
	r := w.report()
	var old []string
	for _, p := range r.Volatile.Patches {
		if p.Title == "patch for code: old" {
			old = append(old, string(p.State)+": "+p.Stopped())
		}
	}
	if got := strings.Join(old, "|"); got != "drafted: its gates have not run: the limit\x1b[31m; the next patch is possible at noon; the next run runs them" {
		t.Errorf("the old patches are %q", got)
	}
	for name, show := range map[string]func(io.Writer, model.Report) error{"markdown": Markdown, "html": HTML, "terminal": renderings["80.txt"]} {
		page := rendered(t, show, r)
		if !strings.Contains(strings.Join(strings.Fields(page), " "), "wait for their gates") || strings.Contains(page, "\x1b[31m") {
			t.Errorf("%s does not tell of the draft, or acts on the terminal\n%s", name, page)
		}
	}
}

// TestPatchWork checks that every rendering shows a night's work on code in escaped form,
// and that the cost of this work is included in the cost of the patch.
func TestPatchWork(t *testing.T) {
	w := keepWorld(t, 0)
	before := w.report().Volatile.CostUSD
	note := archive.PatchNote{Target: "code", Origin: "constants", Text: "no value looked better", Runs: 12}
	wrote := archive.PatchNote{Target: "code", Origin: "model", Agent: "aide", Proposal: "P7", State: archive.HumanLane, Text: "refused\x1b[2J <b>once</b>"}
	wrote.Usage.CostUSD = .25
	w.run.Patches = []archive.PatchNote{note, wrote}
	w.must(w.a.PutRun(w.ctx, w.run))
	r := w.report()
	if got := r.Volatile.CostUSD - before; got != .25 {
		t.Errorf("%v counts as paid", got)
	}
	var md, page strings.Builder
	w.must(Markdown(&md, r))
	w.must(HTML(&page, r))
	for name, text := range map[string]string{"markdown": md.String(), "page": page.String()} {
		for _, want := range []string{"Code changes that were tried", "no value looked better", "P7", "flagged"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s lacks %q", name, want)
			}
		}
		if strings.Contains(text, "\x1b") || name == "page" && strings.Contains(text, "<b>once") {
			t.Errorf("the %s is not harmless", name)
		}
	}
}
