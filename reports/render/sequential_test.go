package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

// TestEvidenceOfAllNights counts the evidence from two nights for one candidate.
func TestEvidenceOfAllNights(t *testing.T) {
	w := undecidedWorld(t, 0)
	a := w.report().Agents[0]
	h := a.Headline
	judged := stats.Judge("", w.past[h.Variant.ID].pairs, stats.Rule{Alpha: stats.Monthly().Alpha()})
	got := []int{h.Tasks, h.Repeats, h.Wins, h.Losses, h.Ties}
	want := []int{judged.Tasks, 5, judged.Wins, judged.Losses, judged.Ties}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks, blocks, wins, losses, ties (-want +got)\n%s", diff)
	}
	if e := h.Evidence; e.Blocks != 5 || e.Pairs != 60 || len(e.Runs) != 2 || e.LogE != judged.LogE {
		t.Errorf("the evidence is %+v", e)
	}
	for _, p := range a.Tasks {
		if p.Repeats != 5 {
			t.Errorf("task %s has %d repeats", p.Task, p.Repeats)
		}
	}
}

// TestEarlierNightStands builds the report of a night after a later night continued its
// candidate. The report shows the state in which the earlier night left the candidate.
func TestEarlierNightStands(t *testing.T) {
	w := undecidedWorld(t, 0)
	type standing struct {
		Name           string
		Nights, Blocks int
		Tonight        bool
	}
	for run, want := range map[string][]standing{"5": {{"v2", 1, 3, true}}, "6": {{"v2", 2, 5, true}, {"v3", 1, 2, true}}} {
		r, err := model.Build(w.ctx, w.a, run)
		w.must(err)
		var got []standing
		for _, c := range r.Agents[0].Candidates {
			got = append(got, standing{c.Variant.Name(), c.Nights, c.Blocks, c.Tonight})
			if c.State != stats.Open || c.LogE == 0 || c.Reason == "" {
				t.Errorf("run %s: %+v", run, c)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %s (-want +got)\n%s", run, diff)
		}
		if len(r.Agents[0].Rejected) > 0 {
			t.Errorf("run %s rejects a candidate that is open: %+v", run, r.Agents[0].Rejected)
		}
	}
}

// TestOpenFromEarlier checks that an open candidate that this night did not reach is shown
// until it is void.
func TestOpenFromEarlier(t *testing.T) {
	w := undecidedWorld(t, 0)
	w.open(7, "solver")
	champion := w.report().Agents[0].Decision.Champion.ID
	if champion != "" {
		t.Fatal("the run has no plan yet, and a champion")
	}
	earlier, err := w.a.Plan(w.ctx, "6-5f3a9c1e", "solver")
	w.must(err)
	w.plan("solver", earlier.Champion, archive.AgentPlan{Search: 100, HoldoutTasks: 12})
	w.end()
	a := w.report().Agents[0]
	if len(a.Candidates) != 2 || a.Candidates[0].Tonight || a.Candidates[0].Nights != 2 {
		t.Fatalf("open are %+v", a.Candidates)
	}
	entry := w.past[a.Candidates[0].Variant.ID].entry
	entry.Void = "the champion changed"
	w.must(w.a.PutCandidate(w.ctx, entry, night))
	if left := w.report().Agents[0].Candidates; len(left) != 1 || left[0].Variant == a.Candidates[0].Variant {
		t.Errorf("of two, one of them void, there are %+v", left)
	}
}

// withRuling changes the recorded ruling of the first finalist of adoptWorld.
func withRuling(t *testing.T, verdict archive.Verdict, change func(*archive.AgentResult, *stats.Ruling)) model.Report {
	t.Helper()
	w := adoptWorld(t, 0)
	res, err := w.a.Result(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	res.Verdict = verdict
	if !verdict.Proposes() {
		res.Winner, res.Finalist[0].Accepted = "", false
	}
	change(&res, res.Finalist[0].Ruling)
	w.must(w.a.PutResult(w.ctx, res))
	return w.report()
}

// TestBoxSaysWhatStands shows guards, domains and claims in each of their states.
func TestBoxSaysWhatStands(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict archive.Verdict
		change  func(*archive.AgentResult, *stats.Ruling)
		want    []string
	}{
		{"a guard that is open", archive.Undecided, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State, r.Guards[0].Verdict = stats.Open, stats.GuardOpen
		}, []string{"UNDECIDED", "v37 is confirmed for new tasks", "unsure: at most +10 %"}},
		{"a guard that failed", archive.Keep, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State, r.Guards[1].Verdict = stats.Vetoed, stats.GuardFailed
		}, []string{"KEEP", "latency", "✗ at most +10 %"}},
		{"a guard that passed by its floor", archive.Adopt, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.Guards[1].Ratio, r.Guards[1].Interval = 1.4, stats.Interval{Lo: .9, Hi: 3.5}
		}, []string{"ADOPT", "+40 % [−10, +250] ✓ at most 50 ms more"}},
		{"a domain that is worse", archive.Keep, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State, r.Parts[0].Verdict, r.Parts[0].Hi = stats.Vetoed, stats.DomainVeto, -.01
		}, []string{"1 domain worse"}},
		{"a domain that is open", archive.Adopt, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.Parts[1].Verdict, r.Parts[1].Lo = stats.DomainOpen, -.12
		}, []string{"ADOPT", "confirmed for new tasks", "not ruled out in 1", "a loss of"}},
		{"these tasks only", archive.Undecided, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State, r.Claim, r.NewLower = stats.HereOnly, stats.TheseTasks, -.01
		}, []string{"v37 is proven on these tasks only"}},
		{"nothing shown", archive.Undecided, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State, r.Claim = stats.Open, stats.NoClaim
		}, []string{"UNDECIDED  v12"}},
		{"a trade", archive.Trade, func(_ *archive.AgentResult, r *stats.Ruling) {
			r.State = stats.Trade
			r.Guards = append(r.Guards, stats.Guard{
				Name: "output_tokens", Of: stats.Mean, Champion: 100, Candidate: 400, Ratio: 4,
				Interval: stats.Interval{Lo: 3, Hi: 5}, Most: 1.1, Verdict: stats.GuardFailed,
			})
		}, []string{"TRADE", "v37 instead of v12 breaks a guard", "confirmed for new tasks", "output tokens", "100 → 400", "✗ at most +10 %", "evolve approve P"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			box := rendered(t, renderings["box.txt"], withRuling(t, c.verdict, c.change))
			for _, want := range c.want {
				if !strings.Contains(box, want) && !strings.Contains(strings.Join(strings.Fields(box), " "), want) {
					t.Errorf("the box does not say %q\n%s", want, box)
				}
			}
			silent := strings.HasPrefix(c.name, "nothing") || c.verdict == archive.Keep
			if silent && strings.Contains(box, "v37 is confirmed") {
				t.Errorf("the box says too much\n%s", box)
			}
		})
	}
}

// TestThresholdsFollowTheRuling checks that unmet conditions are listed as the obstacles
// to adoption.
func TestThresholdsFollowTheRuling(t *testing.T) {
	r := withRuling(t, archive.Keep, func(_ *archive.AgentResult, r *stats.Ruling) {
		r.LogE, r.NewLower, r.Guards[0].Verdict, r.Guards[0].Ratio, r.Parts[0].Verdict = 2, -.03, stats.GuardFailed, 1.3, stats.DomainVeto
	})
	got := map[string]bool{}
	for _, c := range r.Agents[0].Decision.Thresholds {
		got[c.Name] = c.Met
		if c.Met != (c.Margin >= 0) && c.Unit != "log_e" {
			t.Errorf("%s: met %v by %v", c.Name, c.Met, c.Margin)
		}
	}
	want := map[string]bool{
		"better on these tasks: evidence": false, "better on new tasks: lower bound (99.8 %)": false,
		"cost against v12": false, "domains shown to be worse": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions (-want +got)\n%s", diff)
	}
}

// TestFixedAgent checks that the report of an agent whose repeats are identical does not
// mention stopping.
func TestFixedAgent(t *testing.T) {
	text := rendered(t, renderings["80.txt"], withRuling(t, archive.Adopt, func(_ *archive.AgentResult, r *stats.Ruling) { r.Fixed = true }))
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"because a repeat would give the same", "Student's t over independent tasks", "better on these tasks: difference"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	before, _, _ := strings.Cut(text, "Cost and latency")
	if strings.Contains(before, "valid at any stop") {
		t.Error("an interval of one block is said to be valid at any stop")
	}
}

// TestOwnEffects checks that the individual effects of changes are shown only for the
// config that the ablation measured.
func TestOwnEffects(t *testing.T) {
	effects := func(r model.Report) (n int) {
		for _, c := range r.Agents[0].Changes {
			if c.Own != nil {
				n++
			}
		}
		return n
	}
	if n := effects(adoptWorld(t, 0).report()); n != 3 {
		t.Errorf("%d changes have an effect of their own, want 3", n)
	}
	other := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) { res.Ablations[1].Small = res.Ablations[1].Winner })
	if n := effects(other); n != 0 {
		t.Errorf("%d changes have the effect they had in another config", n)
	}
	older := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) {
		res.Ablation, res.Ablations = &res.Ablations[1], nil
	})
	if n := effects(older); n != 3 || len(older.Agents[0].Ablations) != 1 {
		t.Errorf("of a result of an earlier version %d changes have an effect", n)
	}
}

func TestLeading(t *testing.T) {
	sequential := func(claim stats.Claim, logE float64) archive.Finalist {
		return archive.Finalist{Ruling: &stats.Ruling{Claim: claim, LogE: logE}}
	}
	old := func(accepted bool, lo, adjusted float64) archive.Finalist {
		return archive.Finalist{Accepted: accepted, Adjusted: adjusted, Comparison: stats.Comparison{Lo: lo}}
	}
	winner := sequential(stats.NewTasks, 6)
	winner.Variant = "w"
	for _, c := range []struct {
		name string
		list []archive.Finalist
		want int
	}{
		{"none", nil, -1},
		{"the winner, whatever the others have", []archive.Finalist{sequential(stats.NewTasks, 9), winner}, 1},
		{"a stronger claim before more evidence", []archive.Finalist{sequential(stats.NoClaim, 9), sequential(stats.TheseTasks, 6)}, 1},
		{"more evidence", []archive.Finalist{sequential(stats.NoClaim, 1), sequential(stats.NoClaim, 3), sequential(stats.NoClaim, 3)}, 1},
		{"of old: accepted", []archive.Finalist{old(false, .2, .001), old(true, .1, .02)}, 1},
		{"of old: the higher bound", []archive.Finalist{old(true, .1, .001), old(true, .2, .02)}, 1},
		{"of old: the smaller p", []archive.Finalist{old(false, .1, .3), old(false, 0, .2)}, 1},
	} {
		if got := model.Leading(archive.AgentResult{Winner: "w", Finalist: c.list}); got != c.want {
			t.Errorf("%s: %d leads, want %d", c.name, got, c.want)
		}
	}
}

// TestAChangeThatWasNotTriedHasNoFigure checks that a change that was not tried is marked
// as untried both in the table of changes and in the table of the other finalists.
func TestAChangeThatWasNotTriedHasNoFigure(t *testing.T) {
	r := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) {
		for i := range res.Ablations {
			for k := range res.Ablations[i].Effects {
				e := &res.Ablations[i].Effects[k]
				*e = archive.ParamEffect{Param: e.Param, Untried: true}
			}
		}
	})
	for name, render := range renderings {
		if name == "json" || name == "box.txt" {
			continue
		}
		text := strings.Join(strings.Fields(rendered(t, render, r)), " ")
		// A terminal does not show the collapsed sections of the other finalists.
		if n := strings.Count(text, (model.OwnEffect{}).UntriedWords()); n < 3 || name == "md" && n != 4 {
			t.Errorf("%s: %d changes are named as not tried", name, n)
		}
	}
	for _, c := range r.Agents[0].Changes {
		if c.Own == nil {
			continue
		}
		if cells := ownEffect(c); len(cells) != 2 || cells[0].raw() != number.Unknown {
			t.Errorf("%s has the figure %v", c.Param, cells)
		}
	}
}
