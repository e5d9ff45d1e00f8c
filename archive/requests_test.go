package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// wish returns a change request as an agent makes it.
func wish(n int) ChangeRequestRecord {
	return ChangeRequestRecord{
		Agent: "solver", Session: "monday", Turn: "T1", Created: day,
		Request: agent.ChangeRequest{
			ID: fmt.Sprintf("%016x", n), Type: "config", Reason: "the recall is too <strict>", Target: "recall.min_score",
			Tool: "pipeline_config", Arguments: json.RawMessage(fmt.Sprintf(`{"set":{"k":%d},"note":"<&>"}`, n)), RequiresHumanApproval: true,
		},
	}
}

func contractRequests(t *testing.T, p pairOf) {
	ctx := context.Background()
	first := must(p.w.PutRequest(ctx, wish(1)))(t)
	if first.ID != "R1" || first.State != RequestOpen || first.Count != 1 || !first.Last.Equal(day) {
		t.Fatalf("stored as %+v", first)
	}
	must(p.w.PutRequest(ctx, wish(2)))(t)
	for _, id := range []string{"R1", "r1"} {
		if diff := cmp.Diff(first, must(p.r.Request(ctx, id))(t)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	for _, id := range []string{"", "R", "R0", "R3", "R01", "1", "P1", "R-1", "R9999999999999999999999"} {
		if _, err := p.r.Request(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}

	// Making the same request again raises its count, whatever reason is given now.
	again := wish(1)
	again.Created, again.Request.Reason, again.State, again.Count = day.Add(time.Hour), "another", RequestApproved, 99
	again.Request.Arguments = json.RawMessage(` { "note":"<&>", "set" : {"k":1} } `)
	again = must(p.w.PutRequest(ctx, again))(t)
	if again.ID != "R1" || again.Count != 2 || !again.Last.Equal(day.Add(time.Hour)) || !again.Created.Equal(day) || again.State != RequestOpen || again.Request.Reason != first.Request.Reason {
		t.Errorf("uttered again: %+v", again)
	}
	// The same request by another agent is a separate request.
	other := wish(1)
	other.Agent = "other"
	if other = must(p.w.PutRequest(ctx, other))(t); other.ID != "R3" {
		t.Errorf("another agent's wish is %s", other.ID)
	}
	// A hash approved for one call does not permit another call.
	forged := wish(1)
	forged.Request.Arguments = json.RawMessage(`{"set":{"k":7}}`)
	if _, err := p.w.PutRequest(ctx, forged); err == nil {
		t.Error("another call was taken for the same")
	}

	for _, d := range []RequestDecision{{Action: "approve"}, {Action: "praise", By: "Ada"}, {By: "Ada"}} {
		if _, err := p.w.DecideRequest(ctx, "R1", d); err == nil {
			t.Errorf("accepted %+v", d)
		}
	}
	if _, err := p.w.DecideRequest(ctx, "R9", RequestDecision{Action: "deny", By: "Ada"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("deciding on nothing: %v", err)
	}
	d := RequestDecision{Action: "approve", By: "Ada <ada@example.org>", Reason: "fine", Time: day, Proposal: "P4"}
	decided := must(p.w.DecideRequest(ctx, "r1", d))(t)
	d.Entry = 4
	if decided.State != RequestApproved || !cmp.Equal(*decided.Decision, d) {
		t.Errorf("decided: %+v", decided)
	}
	if _, err := p.w.DecideRequest(ctx, "R1", RequestDecision{Action: "deny", By: "Eve"}); !errors.Is(err, ErrDecided) {
		t.Errorf("decided twice: %v", err)
	}
	denied := must(p.w.DecideRequest(ctx, "R2", RequestDecision{Action: "deny", By: "Ada", Reason: "no", Time: day}))(t)
	// Repeating a decided request does not reopen it.
	late := must(p.w.PutRequest(ctx, wish(2)))(t)
	if late.State != RequestDenied || late.Count != 2 || late.Decision == nil {
		t.Errorf("asked again after a decision: %+v", late)
	}
	denied.Count, denied.Times = 2, append(denied.Times, late.Last)
	if diff := cmp.Diff([]ChangeRequestRecord{decided, denied, other}, collect(t, p.r.Requests(ctx))); diff != "" {
		t.Error(diff)
	}

	entries := collect(t, p.r.Ledger(ctx, 0))
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, e.Kind+" "+e.Subject+" "+e.Actor)
	}
	want := []string{
		"request.create R1 solver", "request.create R2 solver", "request.create R3 other",
		"request.approve R1 Ada <ada@example.org>", "request.deny R2 Ada",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	var told struct {
		Call *agent.ChangeRequest
		By   string
	}
	if err := json.Unmarshal(entries[3].Data, &told); err != nil || told.By != d.By || told.Call == nil || !cmp.Equal(*told.Call, first.Request) {
		t.Errorf("the approval tells %s (%v)", entries[3].Data, err)
	}
	if _, _, err := p.r.VerifyLedger(ctx); err != nil {
		t.Error(err)
	}
}

func contractTurns(t *testing.T, p pairOf) {
	ctx := context.Background()
	if _, err := p.r.Turn(ctx, "T1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a turn of none: %v", err)
	}
	var want []TurnRecord
	for i := range 12 {
		turn := TurnRecord{
			Agent: "solver", Session: "monday", Config: "c0ffee", PolicyVersion: "v", Goal: fmt.Sprint("say ", i), Answer: "<a>",
			Outcome: agent.OK, Usage: agent.Usage{InputTokens: 3}, Created: day, Transcript: *transcript(fmt.Sprint("step ", i)),
		}
		turn = must(p.w.PutTurn(ctx, turn, nil, nil))(t)
		if turn.ID != fmt.Sprintf("T%d", i+1) {
			t.Fatalf("turn %d is %s", i, turn.ID)
		}
		if diff := cmp.Diff(turn, must(p.r.Turn(ctx, strings.ToLower(turn.ID)))(t)); diff != "" {
			t.Error(diff)
		}
		turn.Transcript = agent.Transcript{}
		want = append(want, turn)
	}
	if diff := cmp.Diff(want, collect(t, p.r.Turns(ctx))); diff != "" {
		t.Error(diff)
	}
	if _, err := p.w.PutTurn(ctx, TurnRecord{Goal: "x"}, nil, nil); err == nil {
		t.Error("a turn without an agent was stored")
	}

	if _, err := p.r.Session(ctx, "solver", "monday"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a session of none: %v", err)
	}
	s := agent.Session{Notes: []string{"a", "b\x00"}, Working: "w", Facts: []agent.Memory{{ID: "m", Text: "x", Time: day}}, Retracted: map[string]string{"m2": "wrong"}}
	for _, name := range []string{"monday", "mon"} {
		if err := keepSession(p.w, "solver", name, s); err != nil {
			t.Fatal(err)
		}
		s.Working += "!"
	}
	s.Working = "w"
	if diff := cmp.Diff(s, must(p.r.Session(ctx, "solver", "monday"))(t)); diff != "" {
		t.Error(diff)
	}
	s.Notes = nil
	if err := keepSession(p.w, "solver", "monday", s); err != nil {
		t.Fatal(err)
	}
	if got := must(p.r.Session(ctx, "solver", "monday"))(t); got.Notes != nil {
		t.Errorf("not replaced: %+v", got)
	}
	s.Summary = strings.Repeat("x", maxSession)
	if err := keepSession(p.w, "solver", "monday", s); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a session beyond its bound: %v", err)
	}
	for _, at := range [][2]string{{"", "x"}, {"x", ""}} {
		if err := keepSession(p.w, at[0], at[1], s); err == nil {
			t.Errorf("a session at %q was stored", at)
		}
	}
}

// keepSession stores a session together with one of its turns.
func keepSession(a *Archive, agentID, name string, s agent.Session) error {
	_, err := a.PutTurn(context.Background(), TurnRecord{Agent: agentID, Session: name}, &s, nil)
	return err
}

// TestRecordBounds checks that the worst texts that are accepted fit into one transaction
// on disk.
func TestRecordBounds(t *testing.T) {
	ctx := context.Background()
	a := openAt(t, t.TempDir())
	closing(t, a)
	for _, worst := range []string{"x", "\x01", "é", "\u2028", "\xffx", `"`} {
		long := strings.Repeat(worst, (300<<10)/len(worst))
		turn, err := a.PutTurn(ctx, TurnRecord{
			Agent: long, Session: long, Config: agent.ConfigID(long), PolicyVersion: long, Goal: long, Answer: long, Outcome: agent.Outcome(long), Error: long,
			Transcript: agent.Transcript{Events: []agent.Event{{Text: long}, {Text: "short"}}},
		}, nil, nil)
		if err != nil {
			t.Fatalf("%q: %v", worst, err)
		}
		got := must(a.Turn(ctx, turn.ID))(t)
		if diff := cmp.Diff(turn, got); diff != "" {
			t.Errorf("%q: %s", worst, diff)
		}
		if len(got.Goal) > maxTurnGoal || !strings.HasSuffix(got.Goal, cutMark) || got.Transcript.Dropped != 2 {
			t.Errorf("%q: a goal of %d bytes, %d events dropped", worst, len(got.Goal), got.Transcript.Dropped)
		}

		r := wish(1)
		r.Request.ID, r.Request.Reason, r.Session, r.Turn = fmt.Sprintf("%x", worst), long, long, long
		stored, err := a.PutRequest(ctx, r)
		if err != nil {
			t.Fatalf("%q: %v", worst, err)
		}
		if len(stored.Request.Reason) > maxCallReason {
			t.Errorf("%q: a reason of %d bytes", worst, len(stored.Request.Reason))
		}
		for field, change := range map[string]func(*ChangeRequestRecord){
			"target":    func(r *ChangeRequestRecord) { r.Request.Target = long },
			"tool":      func(r *ChangeRequestRecord) { r.Request.Tool = long },
			"type":      func(r *ChangeRequestRecord) { r.Request.Type = long },
			"hash":      func(r *ChangeRequestRecord) { r.Request.ID = long },
			"agent":     func(r *ChangeRequestRecord) { r.Agent = long },
			"arguments": func(r *ChangeRequestRecord) { r.Request.Arguments = json.RawMessage(long) },
		} {
			r := wish(1)
			change(&r)
			if _, err := a.PutRequest(ctx, r); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%q as %s: %v", worst, field, err)
			}
		}
	}
	// A call whose arguments have the maximum length can be approved without any cut in
	// the arguments.
	r := wish(1)
	r.Request.ID = "large"
	r.Request.Arguments = json.RawMessage(`"` + strings.Repeat("x", maxCallArguments-2) + `"`)
	r = must(a.PutRequest(ctx, r))(t)
	if _, err := a.DecideRequest(ctx, r.ID, RequestDecision{Action: "approve", By: "Ada", Time: day}); err != nil {
		t.Error(err)
	}
	s := agent.Session{Summary: strings.Repeat("x", maxSession-30)}
	long := strings.Repeat("x", 300<<10)
	_, err := a.PutTurn(ctx, TurnRecord{
		Agent: "solver", Session: "s", Goal: long, Answer: long, Error: long, Transcript: agent.Transcript{Events: []agent.Event{{Text: long[:maxTranscript/2]}}},
	}, &s, nil)
	if err != nil {
		t.Error(err)
	}
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
}

func TestOpenRequestsAreBounded(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	for i := range maxOpenRequests {
		if _, err := a.PutRequest(ctx, wish(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.PutRequest(ctx, wish(maxOpenRequests)); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	// Existing requests are still counted, other agents can still make requests, and a
	// decision frees a place in the queue.
	if r := must(a.PutRequest(ctx, wish(5)))(t); r.Count != 2 {
		t.Errorf("counted %d", r.Count)
	}
	other := wish(maxOpenRequests)
	other.Agent = "other"
	if _, err := a.PutRequest(ctx, other); err != nil {
		t.Error(err)
	}
	if _, err := a.DecideRequest(ctx, "R1", RequestDecision{Action: "deny", By: "Ada"}); err != nil {
		t.Error(err)
	}
	if _, err := a.PutRequest(ctx, wish(maxOpenRequests)); err != nil {
		t.Error(err)
	}
}

func FuzzPutRequest(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":`, "", "\xff\x00", `"\ud800"`, `{"b":1,"a":2}`, "1e999", " [ 1 ] ", "<\u2028>"} {
		f.Add(s, s, []byte(s))
	}
	f.Fuzz(func(t *testing.T, name, text string, arguments []byte) {
		ctx := context.Background()
		a := OpenMemory()
		defer a.Close()
		r := ChangeRequestRecord{Agent: "a" + name, Session: text, Request: agent.ChangeRequest{
			ID: "h" + name, Type: name, Reason: text, Target: text, Tool: name, Arguments: arguments,
		}}
		stored, err := a.PutRequest(ctx, r)
		if err != nil {
			return
		}
		got := must(a.Request(ctx, "R1"))(t)
		if diff := cmp.Diff(stored, got); diff != "" {
			t.Fatal(diff)
		}
		if !json.Valid(got.Request.Arguments) {
			t.Fatalf("stored %q", got.Request.Arguments)
		}
		if again := must(a.PutRequest(ctx, r))(t); again.Count != 2 {
			t.Fatalf("the same wish was not known: %+v", again)
		}
		if again := must(a.PutRequest(ctx, got))(t); again.Count != 3 {
			t.Fatalf("what is stored was not known: %+v", again)
		}
		must(a.DecideRequest(ctx, "R1", RequestDecision{Action: "approve", By: "b" + name, Reason: text}))(t)
		to := OpenMemory()
		defer to.Close()
		whole := exported(t, a)
		if err := to.Import(ctx, strings.NewReader(whole)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(native(exported(t, to)), native(whole)) {
			t.Error("the export of the import differs")
		}
		if err := to.Check(ctx); err != nil {
			t.Error(err)
		}
	})
}
