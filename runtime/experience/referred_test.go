package experience

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/runtime/agent"
)

// refers returns the event for the referral of a turn.
func refers(evidence string) agent.Event {
	return agent.Event{
		Kind: agent.EventCheck, Name: agent.Referral, Outcome: agent.WrongToolBoundary,
		Data: []byte(`{"boundary_axes":["Charts"],"observed_task_shape":"a drawing","evidence":"` + evidence + `"}`),
	}
}

func calls(name string, o agent.Outcome) agent.Event {
	return agent.Event{Kind: agent.EventTool, Name: name, Outcome: o, Text: "text"}
}

// TestReferralOfATurn tests which calls are affected by the referral of a turn.
func TestReferralOfATurn(t *testing.T) {
	lost := func(name string) Call {
		return Call{Tool: name, Outcome: agent.WrongToolBoundary, Axes: []string{"charts"}}
	}
	ok := func(name string) Call { return Call{Tool: name, Outcome: agent.OK} }
	for name, c := range map[string]struct {
		events []agent.Event
		want   []Call
	}{
		"the last tool": {
			[]agent.Event{calls("grep", "ok"), calls("feed", "ok"), calls("note", "ok"), refers("none can draw")},
			[]Call{ok("grep"), lost("feed"), ok("note")},
		},
		"a weak answer": {
			[]agent.Event{calls("feed", "low_utility"), refers("none can draw")},
			[]Call{lost("feed")},
		},
		"named tools": {
			[]agent.Event{calls("web__price_feed", "ok"), calls("web__price_feed", "ok"), calls("Plot", "ok"), calls("grep", "ok"), refers("neither price_feed nor plot draws")},
			[]Call{ok("web__price_feed"), lost("web__price_feed"), lost("Plot"), ok("grep")},
		},
		"a part of a word is no name": {
			[]agent.Event{calls("plot", "ok"), calls("grep", "ok"), refers("a plotter is asked for")},
			[]Call{ok("plot"), lost("grep")},
		},
		"no tool": {
			[]agent.Event{refers("none can draw")},
			[]Call{lost(AllTools)},
		},
		"tools that do no part of the task": {
			[]agent.Event{calls("enable_tool", "ok"), calls("memory_add", "ok"), refers("note that none can draw")},
			[]Call{ok("enable_tool"), ok("memory_add"), lost(AllTools)},
		},
		"calls that were not made": {
			[]agent.Event{calls("feed", "ok"), calls("plot", "denied"), calls("plot", "rate_limited"), refers("plot is kept back")},
			[]Call{lost("feed"), {Tool: "plot", Outcome: agent.Denied}, {Tool: "plot", Outcome: agent.RateLimited}},
		},
		"a failure stays one": {
			[]agent.Event{calls("feed", "execution"), refers("none can draw")},
			[]Call{{Tool: "feed", Outcome: agent.Execution, Axes: []string{"charts"}, Evidence: "a drawing: none can draw"}},
		},
		"the tool's own referral is passed on": {
			[]agent.Event{
				{Kind: agent.EventTool, Name: "feed", Outcome: agent.WrongToolBoundary, Data: []byte(`{"boundary_axes":["web"],"observed_task_shape":"a page","evidence":"x"}`)},
				refers("x"),
			},
			[]Call{{Tool: "feed", Outcome: agent.WrongToolBoundary, Axes: []string{"web"}}},
		},
		"each subgoal's calls": {
			[]agent.Event{calls("feed", "ok"), refers("x"), calls("grep", "ok"), refers("y"), refers("z")},
			[]Call{lost("feed"), lost("grep"), lost(AllTools)},
		},
		"without evidence": {
			[]agent.Event{calls("feed", "ok"), refers("")},
			[]Call{ok("feed")},
		},
		"of low utility": {
			[]agent.Event{{Kind: agent.EventCheck, Name: agent.Referral, Outcome: agent.LowUtility, Data: refers("x").Data}, calls("feed", "ok")},
			[]Call{ok("feed")},
		},
		"of a program, for its entries without evidence": {
			[]agent.Event{refers("x"), {Kind: agent.EventForeign, Data: []byte(`[
				{"kind":"tool","name":"sql","outcome":"wrong_tool_boundary"},{"kind":"tool","name":"sql","outcome":"wrong_tool_boundary"},
				{"kind":"tool","name":"chart","outcome":"wrong_tool_boundary"},{"kind":"tool","name":"grep"}]`)}},
			[]Call{{Tool: "sql", Outcome: agent.ContractViolation}, lost("sql"), lost("chart"), ok("grep")},
		},
		"of a program, for its last tool": {
			[]agent.Event{refers("x"), {Kind: agent.EventForeign, Data: []byte(`[{"kind":"tool","name":"sql"}]`)}},
			[]Call{lost("sql")},
		},
		"of an entry": {
			[]agent.Event{{Kind: agent.EventForeign, Data: []byte(`[
				{"kind":"tool","name":"sql","outcome":"wrong_tool_boundary","refer":{"boundary_axes":["Charts"],"observed_task_shape":"a drawing","evidence":"x"}},
				{"kind":"tool","name":"sql","outcome":"wrong_tool_boundary","refer":{"boundary_axes":["charts"]}}]`)}},
			[]Call{lost("sql"), {Tool: "sql", Outcome: agent.ContractViolation}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := CallsOf(c.events)
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Call{}, "Cause", "Origin")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReferralOfATurnIsASignal tests that the referrals of turns lead to advice for the
// tool without changing its usefulness, and that a failed call remains a failure.
func TestReferralOfATurnIsASignal(t *testing.T) {
	learn := func(n int, o agent.Outcome) *Experience {
		e := &Experience{}
		for i := range n {
			events := []agent.Event{calls("feed", o), refers("none can draw")}
			e.Learn(Turn{ID: "T1", Domain: "research", Outcome: agent.WrongToolBoundary, Calls: CallsOf(events), Time: time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC)})
		}
		if err := e.Valid(); err != nil {
			t.Error(err)
		}
		return e
	}
	e := learn(8, agent.OK)
	if a := e.Advice("feed"); a.Remedy != Tighten || a.Referrals != 8 || a.Calls != 8 || a.Judged != 8 || len(a.Clusters) != 1 {
		t.Errorf("%+v", a)
	}
	if u := e.Usefulness("feed", "", "research"); u != .5 {
		t.Errorf("usefulness %g", u)
	}
	if known := e.KnownTools([]string{"feed"}, "research", 200); known != `- feed: 8 calls in research; 8 referrals ("charts" 8)` {
		t.Errorf("%s", known)
	}
	down := learn(8, agent.Execution)
	if a := down.Advice("feed"); a.Referrals != 8 || a.Judged != 8 || a.Succeeded != 0 || len(a.Clusters) != 1 || a.Clusters[0].Cause != "a drawing: none can draw" {
		t.Errorf("%+v", a)
	}
	if u := down.Usefulness("feed", "", "research"); u >= .3 {
		t.Errorf("usefulness %g of a tool that is down", u)
	}
	none := &Experience{}
	for range 8 {
		none.Learn(Turn{Outcome: agent.WrongToolBoundary, Calls: CallsOf([]agent.Event{refers("none can draw")})})
	}
	if a := none.Advice(AllTools); a.Remedy != Recompose || a.Referrals != 8 {
		t.Errorf("%+v", a)
	}
	if known := none.KnownTools(nil, "", 200); known != `- no tool of yours: 8 referrals ("charts" 8)` {
		t.Errorf("%s", known)
	}
}
