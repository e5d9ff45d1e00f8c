package night

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/mutate/ablation"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// refusedWorld returns an archive with versions of code. A gate found that v3 and v6
// deceive. Only the tests of v9 fail. names maps the versions to their numbers.
//
//	v1 ── v2 (+.45) ── v3, which is v2 reduced
//	 │     ├── v4
//	 │     ├── v8, whose patch passed its gates
//	 │     ├── v11, which a model wrote anew
//	 │     └── v12, in which a model kept the line of v3
//	 ├── v5 (+.1) ── v6 (+.45) ── v7
//	 └── v9 ── v10
func refusedWorld(t *testing.T) (o *nights, names map[agent.ConfigID]int) {
	t.Helper()
	o = wordyNights(t)
	n := o.start(t)
	ctx, run := t.Context(), n.Run.ID
	names = map[agent.ConfigID]int{n.Plan.Champion: 1}
	config := func(number int) agent.Config {
		if number == 1 {
			return o.Agent.Champion
		}
		c := o.Agent.Champion.Clone()
		c["strategy"] = fmt.Sprintf("print %d", number)
		if number == 12 {
			c["strategy"] = "be kind\nprint 3"
		}
		names[c.ID()] = number
		return c
	}
	for number, v := range []archive.Variant{
		{Operator: "champion"},
		{Operator: "reflect", Parents: []agent.ConfigID{config(1).ID()}},
		{Operator: ablation.Operator, Parents: []agent.ConfigID{config(2).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(2).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(1).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(5).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(1).ID(), config(6).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(2).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(1).ID()}},
		{Operator: "tokens", Parents: []agent.ConfigID{config(9).ID()}},
		{Operator: "reflect", Author: "small", Parents: []agent.ConfigID{config(2).ID()}},
		{Operator: "reflect", Author: "small", Parents: []agent.ConfigID{config(2).ID()}},
	} {
		v.Config = config(number + 1)
		v.ID = v.Config.ID()
		if err := n.putVariant(ctx, v, nil); err != nil {
			t.Fatal(err)
		}
	}
	task := o.suite().Side(bench.Search)[0]
	for i, score := range []float64{.5, .95, 0, .95, .6, .95, .95, .7, .6, .6, .6, .6} {
		if i == 2 {
			continue // it was reduced by hunks, on other cases
		}
		e := bench.Evaluation{
			Run: run, Agent: "toy", Variant: config(i + 1).ID(), Task: task.ID, Split: bench.Search, Stage: bench.StageSearch,
			Seq: seqSearch + int64(i), Score: score, Scored: true, Outcome: agent.OK, Key: bench.Key(fmt.Sprintf("%064x", i)),
		}
		if err := o.Archive.Record(ctx, e, func(err error) {
			if err != nil {
				t.Error(err)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Archive.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		number int
		state  archive.ProposalState
		gate   archive.GateVerdict
	}{
		{3, archive.GateFailed, archive.GateVerdict{Gate: "program", Verdict: "failed", Deceives: true}},
		{6, archive.GateFailed, archive.GateVerdict{Gate: "program", Verdict: "failed", Deceives: true}},
		{8, archive.HumanLane, archive.GateVerdict{Gate: "program", Verdict: "flagged"}},
		{9, archive.GateFailed, archive.GateVerdict{Gate: "tests", Verdict: "failed"}},
		{10, archive.GateFailed, archive.GateVerdict{Gate: "tests", Verdict: "not_run"}},
	} {
		if _, err := o.Archive.NewProposal(ctx, archive.ProposalRecord{
			Kind: archive.KindPatch, State: p.state, Agent: "search over toy", Run: run, Created: o.Now(), Gates: []archive.GateVerdict{p.gate},
			Patch: &archive.PatchBrief{Target: "toy", Variant: config(p.number).ID()},
		}); err != nil {
			t.Fatal(err)
		}
	}
	o.finish(t, *n.Run, nil)
	return o, names
}

// TestWhatDeceivesIsLeftOutWithItsFamily checks that later nights leave out a version that
// deceives, the ancestors that gained nearly as much, and all their descendants except
// those that passed their gates. A version that was refused for another reason is left out
// without its relatives, as long as the code is the same.
func TestWhatDeceivesIsLeftOutWithItsFamily(t *testing.T) {
	o, names := refusedWorld(t)
	left := func(hash, before string) (out []int, reasons map[int]string) {
		t.Helper()
		list, err := LeftOut(t.Context(), o.Archive, "toy", hash, before)
		if err != nil {
			t.Fatal(err)
		}
		reasons = map[int]string{}
		for id, l := range list {
			out, reasons[names[id]] = append(out, names[id]), l.Reason
		}
		slices.Sort(out)
		return out, reasons
	}
	got, reasons := left("toy", "")
	if d := cmp.Diff([]int{2, 3, 4, 6, 7, 9, 12}, got); d != "" {
		t.Fatal(d)
	}
	for number, want := range map[int]string{
		2: `its gain is hardly smaller than that of a refused descendant: the gate "program" refused v3 in P1`, 3: `the gate "program" refused it in P1`,
		4: `it descends from v2: the gate "program" refused v3 in P1`, 7: `it descends from v6: the gate "program" refused v6 in P2`,
		9: `the gate "tests" refused it in P4`,
	} {
		if reasons[number] != want {
			t.Errorf("v%d: %q, want %q", number, reasons[number], want)
		}
	}
	if got, _ := left("changed", ""); !slices.Equal(got, []int{2, 3, 4, 6, 7, 12}) {
		t.Errorf("on changed code %v", got)
	}
	if got, _ := left("toy", "1-toy"); len(got) > 0 {
		t.Errorf("the night that found them leaves out %v", got)
	}
}

// TestTheNextNightLeavesOut checks that versions that are left out are neither remembered
// nor made again, that they get no entry, and that models are informed that they were
// refused.
func TestTheNextNightLeavesOut(t *testing.T) {
	o, names := refusedWorld(t)
	o.Evaluations = 60
	s := o.begin(t)
	var given mutate.Options
	s.NewSearch = func(options mutate.Options) (mutate.Searcher, error) {
		given = options
		return mutate.New(options)
	}
	n := newNight(s)
	if err := n.work(t.Context()); err != nil {
		t.Fatal(err)
	}
	var remembered, unsearched []int
	for _, h := range given.History {
		remembered = append(remembered, names[h.Variant])
	}
	for _, l := range given.LeftOut {
		unsearched = append(unsearched, names[l.Config.ID()])
	}
	slices.Sort(remembered)
	slices.Sort(unsearched)
	if !slices.Equal(slices.Compact(remembered), []int{1, 5, 8, 10, 11}) || !slices.Equal(unsearched, []int{2, 3, 4, 6, 7, 9, 12}) {
		t.Errorf("%v are remembered, %v left out", remembered, unsearched)
	}
	for id, number := range names {
		_, want := n.leftOut[id]
		if out := n.exclusion(id, o.Agent.Champion, 1, .1); want != (out != nil) {
			t.Errorf("v%d: %+v", number, out)
		}
		a := &author{night: n}
		b := &mutate.Brief{Component: "strategy", Tried: []mutate.TriedChange{{Variant: id, Rationale: "prints", Gain: .4}}}
		if got := a.failed(a.tried(b))[0].Refused; want != strings.Contains(got, "prints") {
			t.Errorf("v%d is told as %q", number, got)
		}
	}
}

// TestBriefsShowWhatWasLeftOut checks that the request to a model shows the reason why an
// earlier change was refused, and not the text of the change.
func TestBriefsShowWhatWasLeftOut(t *testing.T) {
	o, names := refusedWorld(t)
	p := &pen{write: func(int64) (model.Reply, error) { return written("strategy", "Be bold."), nil }}
	o.Reflect = p
	n := o.start(t)
	var err error
	if n.leftOut, err = LeftOut(t.Context(), o.Archive, "toy", "toy", n.Run.ID); err != nil {
		t.Fatal(err)
	}
	a, err := n.newAuthor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	brief := mutate.Brief{Component: "strategy", Form: mutate.Change, Route: "writer", Wording: "diagnose"}
	for id, number := range names {
		if number == 4 {
			brief.Tried = []mutate.TriedChange{{Variant: id, Text: "print all at once", Rationale: "prints", Gain: .4}}
		}
	}
	if _, err := a.ask(t.Context(), mutate.Trial{Variant: n.Agent.Champion.ID(), Config: n.Agent.Champion, Brief: &brief})(); err != nil {
		t.Fatal(err)
	}
	if len(p.asked) != 1 || !strings.Contains(p.asked[0], "refused after it was measured: prints") || strings.Contains(p.asked[0], "print all at once") {
		t.Errorf("the request is %q", p.asked)
	}
}

// TestWhatHasTheLinesIsLeftOut checks that versions with three quarters of the lines that
// a deceiving version added are left out with it, whatever their ancestors and gains.
// Their descendants are left out too, and none of them is the best version. Versions with
// fewer of these lines stay, lines that are only brackets do not count, and a version
// whose patch passed its gates is not treated as deceiving.
func TestWhatHasTheLinesIsLeftOut(t *testing.T) {
	o := wordyNights(t)
	n := o.start(t)
	base := o.Agent.Champion.String("strategy")
	list := []struct {
		number int
		text   string
		parent int
		author string
	}{
		{1, base, 0, ""},
		{2, base + "\nprint 1\nprint 2\n}\nprint 3", 1, ""}, // it gains less
		{3, base + "\nprint 1\nprint 2\n}\nprint 3\nprint 4", 2, ""},
		{4, base + "\nbe kind\nprint 4\nprint 2\nprint 1", 1, "small"},
		{5, base + "\nbe kind\nprint 4\nprint 2\n}", 1, "small"},
		{6, base + "\nbe kind\nsay 4\nsay 2\nsay 1", 4, ""},
		{7, base + "\nprint 1\nprint 2\nprint 3\nprint 4\nprint 5", 1, ""},
	}
	names := map[agent.ConfigID]int{}
	configs := map[int]agent.Config{}
	for i, v := range list {
		c := o.version(v.text)
		names[c.ID()], configs[v.number] = v.number, c
		out := archive.Variant{ID: c.ID(), Config: c, Operator: "tokens", Author: v.author}
		if v.parent > 0 {
			out.Parents = []agent.ConfigID{configs[v.parent].ID()}
		}
		if err := n.putVariant(t.Context(), out, nil); err != nil {
			t.Fatal(err)
		}
		e := bench.Evaluation{
			Run: n.Run.ID, Agent: "toy", Variant: c.ID(), Task: o.suite().Side(bench.Search)[0].ID, Split: bench.Search, Stage: bench.StageSearch, Seq: seqSearch + int64(i),
			Score: map[int]float64{1: .5, 3: .95}[v.number], Scored: true, Outcome: agent.OK, Answer: v.text, Key: bench.Key(fmt.Sprintf("%064x", i)),
		}
		if err := o.Archive.Record(t.Context(), e, func(err error) {
			if err != nil {
				t.Error(err)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	o.finish(t, *n.Run, nil)
	o.proposed(t, n.Run.ID, configs[3], archive.ProposalRecord{State: archive.GateFailed, Gates: []archive.GateVerdict{{Gate: "program", Verdict: "failed", Deceives: true}}})
	o.proposed(t, n.Run.ID, configs[7], archive.ProposalRecord{State: archive.HumanLane})
	out, err := LeftOut(t.Context(), o.Archive, "toy", "toy", "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for id, l := range out {
		got[names[id]] = l.Reason
	}
	const by = `the gate "program" refused `
	if d := cmp.Diff(map[int]string{
		2: "it contains 3 of 4 lines that v3 added: " + by + "v3 in P1", 3: by + "it in P1",
		4: "it contains 3 of 4 lines that v3 added: " + by + "v3 in P1", 6: "it descends from v4: " + by + "v3 in P1",
	}, got); d != "" {
		t.Error(d)
	}
	for number, want := range map[int]bool{4: false, 5: true} {
		n.result.Search.Recommended.Variant = configs[number].ID()
		if err := o.Archive.PutResult(t.Context(), n.result); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := BestOf(t.Context(), o.Archive, "toy", "toy", configs[1].ID()); ok != want || err != nil {
			t.Errorf("v%d is the best one: %v, %v", number, ok, err)
		}
	}
}

// TestADeceivingFamilyTakesOneEntry checks that if a night's gates find that a version
// deceives, the night gives no entry to the relatives of that version, but gives one to
// another version.
func TestADeceivingFamilyTakesOneEntry(t *testing.T) {
	o := codeNightsOf(t)
	cheat, relative, other := o.version("good \nprint 1\nprint 2\nprint 3"), o.version("rare \nprint 1\nprint 2\nprint 3"), o.version("other")
	var drafts []string
	n := o.start(t)
	n.Propose = func(_ context.Context, d Draft) (Proposed, error) {
		drafts = append(drafts, d.Variant.Config.String("strategy"))
		if d.Variant.ID == other.ID() {
			return Proposed{ID: "P2"}, nil
		}
		o.proposed(t, n.Run.ID, d.Variant.Config, archive.ProposalRecord{State: archive.GateFailed, Gates: []archive.GateVerdict{{Gate: "program", Verdict: "failed", Deceives: true}}})
		return Proposed{ID: "P1", Refused: &stats.Refusal{Variant: string(d.Variant.ID), Proposal: "P1", Gate: "program"}}, nil
	}
	n.result.SearchDone = true
	n.measureOn(t, 0, o.Agent.Champion)
	for _, c := range []agent.Config{cheat, relative, other} {
		if err := n.putVariant(t.Context(), archive.Variant{ID: c.ID(), Config: c, Operator: "tokens", Parents: []agent.ConfigID{o.Agent.Champion.ID()}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Archive.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.limitStage(1)
	if err := n.confirm(t.Context(), o.finalists(cheat, relative, other)); err != nil {
		t.Fatal(err)
	}
	if want := []string{cheat.String("strategy"), "other"}; !slices.Equal(drafts, want) || len(n.result.Finalist) != 2 || n.result.Winner != other.ID() {
		t.Errorf("proposed were %q of %d finalists, want %q", drafts, len(n.result.Finalist), want)
	}
	if l := n.result.LeftOut; len(l) != 1 && l[0].Variant != relative.ID() || !strings.Contains(l[len(l)-1].Reason, "it contains 3 of 4 lines that") {
		t.Errorf("left out are %+v", l)
	}
}
