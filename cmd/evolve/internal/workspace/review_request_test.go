package workspace_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/runtime/agent"
)

// ask stores a change request from the office's agent.
func (o *office) ask(kind, arguments string) archive.ChangeRequestRecord {
	o.t.Helper()
	r, err := o.archive.PutRequest(o.t.Context(), archive.ChangeRequestRecord{
		Agent: o.agent().ID, Request: agent.ChangeRequest{
			ID: kind + arguments, Type: kind, Tool: "pipeline_config", Target: "config", Reason: "it would\nhelp", Arguments: json.RawMessage(arguments),
		},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func TestApproveRequestForParameters(t *testing.T) {
	for _, arguments := range []string{
		`{"action":"set","param":"case","value":"upper"}`,
		`{"values":{"case":"upper"},"reason":"x"}`,
		`{"param":"case","value":"upper","values":{"mark":"bang"}}`,
	} {
		o := newOffice(t, true)
		r := o.ask("config", arguments)
		g, err := o.desk().ApproveRequest(t.Context(), r.ID, alice)
		if err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		p := g.Proposal
		if p == nil || p.State != archive.Awaiting || p.Run != "" || g.Request.Decision.Proposal != p.ID || g.Why != "" {
			t.Fatalf("%s: %+v", arguments, g)
		}
		if want := "asked for by the agent itself in R1; no run has confirmed it: it would help"; p.Rationale != want {
			t.Errorf("rationale %q", p.Rationale)
		}
		v, err := o.archive.Variant(t.Context(), o.agent().ID, p.Variant)
		if err != nil || v.Config.String("case") != "upper" {
			t.Errorf("variant %+v: %v", v, err)
		}
		if strings.Contains(arguments, "mark") {
			if v.Operator != "request" || v.Config.String("mark") != "bang" || v.Generation != 1 {
				t.Errorf("variant %+v", v)
			}
		} else if v.ID != o.variant.ID {
			t.Error("a config that is archived was stored again")
		}
		// The champion is unchanged: approving the request does not approve the proposal.
		if o.agent().Champion.String("case") != "none" {
			t.Error("the request was carried out")
		}
		_, err = o.desk().ApproveRequest(t.Context(), r.ID, alice)
		refused(t, err, "is approved already")
	}
}

// TestApproveRequestAgain checks that after a crash between proposal and decision, the
// same call finds the proposal.
func TestApproveRequestAgain(t *testing.T) {
	o := newOffice(t, false)
	r := o.ask("config", `{"param":"case","value":"lower"}`)
	d, crash := o.desk(), errors.New("crash")
	d.Reached = func(step string) error {
		if step == review.StepProposed {
			return crash
		}
		return nil
	}
	first, err := d.ApproveRequest(t.Context(), r.ID, alice)
	if !errors.Is(err, crash) || first.Proposal == nil {
		t.Fatal(err)
	}
	g, err := o.desk().ApproveRequest(t.Context(), "r1", alice)
	if err != nil || g.Proposal == nil || g.Proposal.ID != first.Proposal.ID {
		t.Errorf("%+v: %v", g, err)
	}
}

// TestApproveRequestForAnythingElse checks that the permission is recorded without a
// proposal.
func TestApproveRequestForAnythingElse(t *testing.T) {
	for _, c := range []struct{ kind, arguments, why string }{
		{"source", `{"path":"../../etc/passwd"}`, ""},
		{"archive", `{"param":"case","value":"upper"}`, ""},
		{"config", `{"param":"caes","value":"upper"}`, `parameter "caes" is not declared in the space`},
		{"config", `{"param":"case","value":"loud"}`, `parameter "case" must be one of`},
		{"config", `{"param":"gap","value":2}`, `parameter "gap" would not be active`},
		{"config", `{"param":"case"}`, "a parameter without a value"},
		{"config", `{"param":7,"value":1}`, "its parameter is not text"},
		{"config", `{"param":"case","value":null}`, "its value cannot be read"},
		{"config", `{"param":"case","value":{"a":1}}`, "its value cannot be read"},
		{"config", `{"param":"case","value":"upper","values":{"case":"lower"}}`, `it names "case" twice`},
		{"config", `{"values":[]}`, "its values cannot be read"},
		{"config", `{"action":"get","param":"case","value":"upper"}`, `its action is not "set"`},
		{"config", `{"param":"case","value":"upper","path":"agents/solver"}`, `its arguments include "path"`},
		{"config", `{}`, "its arguments name no parameter"},
		{"config", `["case"]`, "not a JSON object"},
	} {
		o := newOffice(t, false)
		r := o.ask(c.kind, c.arguments)
		g, err := o.desk().ApproveRequest(t.Context(), r.ID, alice)
		if err != nil {
			t.Fatalf("%s: %v", c.arguments, err)
		}
		if g.Proposal != nil || g.Request.State != archive.RequestApproved || !strings.Contains(g.Why, c.why) || (c.why == "") != (g.Why == "") {
			t.Errorf("%s: %+v, %q", c.arguments, g.Proposal, g.Why)
		}
		want := archive.RequestDecision{Action: "approve", By: alice.By, Reason: alice.Reason, Time: g.Request.Decision.Time, Entry: 2}
		if diff := cmp.Diff(want, *g.Request.Decision); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRequestsRefused(t *testing.T) {
	o := newOffice(t, false)
	r := o.ask("config", `{"param":"case","value":"none"}`)
	_, err := o.desk().ApproveRequest(t.Context(), r.ID, alice)
	refused(t, err, "values that the champion already has")
	_, err = o.desk().ApproveRequest(t.Context(), "R9", alice)
	refused(t, err, `there is no change request "R9"`)
	_, err = o.desk().ApproveRequest(t.Context(), r.ID, review.Decision{By: "<x>"})
	refused(t, err, "name of a person")
	_, err = o.desk().DenyRequest(t.Context(), r.ID, review.Decision{By: "Ada", Reason: " "})
	refused(t, err, "a denial needs a reason")
	if got, err := o.archive.Request(t.Context(), r.ID); err != nil || got.State != archive.RequestOpen {
		t.Errorf("a refusal was recorded: %+v, %v", got, err)
	}
	denied, err := o.desk().DenyRequest(t.Context(), r.ID, alice)
	if err != nil || denied.Request.State != archive.RequestDenied || denied.Request.Decision.Reason != alice.Reason {
		t.Errorf("%+v: %v", denied, err)
	}
	_, err = o.desk().DenyRequest(t.Context(), r.ID, alice)
	refused(t, err, "is denied already")

	// A request from an agent that was removed can still be decided on.
	gone, err := o.archive.PutRequest(t.Context(), archive.ChangeRequestRecord{Agent: "gone", Request: agent.ChangeRequest{ID: "x", Type: "config"}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := o.desk().ApproveRequest(t.Context(), gone.ID, alice)
	if err != nil || g.Why != `the workspace has no agent "gone"` {
		t.Errorf("%+v: %v", g, err)
	}
}

func FuzzRequestedOf(f *testing.F) {
	for _, s := range []string{`{"param":"case","value":"upper"}`, `{"values":{"case":"upper"}}`, `{"values":{"case":null}}`, `{`, `7`, `{"param":"case","value":"upper"}}`, `{"param":"case","value":1},"x":{}`} {
		f.Add(s)
	}
	w := loaded(f, "testdata/solver").Reviewed()
	f.Fuzz(func(t *testing.T, arguments string) {
		requested := review.RequestedOf(w, archive.ChangeRequestRecord{Agent: "solver", Request: agent.ChangeRequest{Type: "config", Arguments: json.RawMessage(arguments)}})
		if (requested.Agent == nil) == (requested.Why == "") {
			t.Fatalf("%q is neither a change nor none: %+v", arguments, requested)
		}
		if requested.Agent == nil {
			return
		}
		c, problems := requested.Agent.Space.Parse(requested.Config)
		if len(problems) > 0 || !c.Equal(requested.Config) {
			t.Errorf("%q asks for %s: %v", arguments, requested.Config.Canonical(), problems)
		}
	})
}
