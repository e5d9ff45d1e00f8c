package night

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// flaky is a model whose requests can cost up to 4 cents per attempt. The first attempt
// of each request fails, but may still be charged.
type flaky struct {
	bounded
	sent *int
}

func (f flaky) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	for i := range 2 {
		attempt, err := model.BeginAttempt(ctx, f.AtMost(req))
		if err != nil {
			return model.Reply{}, &model.Error{Outcome: agent.Infrastructure, Err: err}
		}
		if *f.sent++; i == 0 {
			attempt.Lose()
			continue
		}
		reply, err := f.bounded.Next(ctx, req)
		attempt.Pay(reply.Usage)
		return reply, err
	}
	return model.Reply{}, errors.New("unreachable")
}

// TestAttemptsStayWithinTheBounds checks that an attempt after a failure is sent only if
// the bounds of search.reflect allow it in addition to what the first attempt may cost, and
// that a resumed run counts both attempts.
func TestAttemptsStayWithinTheBounds(t *testing.T) {
	o := wordyNights(t)
	o.Settings.Reflect.MaxUSD = .15
	sent := 0
	p := &pen{write: func(int64) (model.Reply, error) {
		r := written("strategy", "x")
		r.Usage = agent.Usage{InputTokens: 1000, OutputTokens: 1000, CostUSD: .04}
		return r, nil
	}}
	l := teach(t, o, flaky{bounded{p}, &sent}, slices.Repeat([]string{"planner"}, 4))
	if l.err != nil || sent != 3 {
		t.Fatalf("%d attempts of 4 cents within 15, %v", sent, l.err)
	}
	notes := briefs(t, o.Archive, l.run)
	if second := notes[1]; second.Outcome != agent.BudgetExceeded || second.Full || !strings.Contains(second.Reason, "max_usd of search.reflect leaves no room for the next request: $0.12 of $0.15 is used") {
		t.Errorf("the attempt that was not made: %+v", second)
	}
	if third := notes[2]; !third.Full {
		t.Errorf("the request after it: %+v", third)
	}
	d := l.summary
	if d == nil {
		t.Fatal("no drafts")
	}
	paid := 0.0
	for _, r := range d.Tallies {
		if r.Choice == "route" {
			paid += r.Usage.CostUSD + r.UnansweredUSD
			if r.Requests != 3 || r.Unanswered != 2 || math.Abs(r.UnansweredUSD-.08) > 1e-9 {
				t.Errorf("the route has %+v", r)
			}
		}
	}
	if math.Abs(paid-.12) > 1e-9 {
		t.Errorf("the routes add up to $%v, and $.12 is counted", paid)
	}
	n := o.start(t) // resumed
	a, err := n.newAuthor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := a.purse.sums()["writer"]; got.lost.calls != 2 || math.Abs(got.lost.usd-.08) > 1e-9 {
		t.Errorf("a resumed run counts %+v", got)
	}
	if used := a.purse.all.used; used.calls != 3 || math.Abs(used.usd-.12) > 1e-9 || used.tokens != 6000 {
		t.Errorf("a resumed run counts %+v", used)
	}
}

// TestAnAnswerBeyondItsBound checks that an answer that uses more than the maximum
// expected for its request counts in full, and that such an answer ends the requests to
// its route if bounds on money or tokens apply.
func TestAnAnswerBeyondItsBound(t *testing.T) {
	for usd, want := range map[float64]string{0: "", 10: "route r gets no further requests: an answer used 2500 tokens and $0.05, although its request was expected to use at most 2000 and $0.04"} {
		p := newPurse(Reflect{Rate: mutate.Rate{MaxUSD: usd}, Routes: []ReflectRoute{{AuthorRoute: mutate.AuthorRoute{Name: "r"}}, {AuthorRoute: mutate.AuthorRoute{Name: "s"}}}})
		h, _, err := p.reserve(t.Context(), "r", dear, true)
		if err != nil {
			t.Fatal(err)
		}
		h.pay(agent.Usage{InputTokens: 1000, OutputTokens: 1500, CostUSD: .05})
		if p.all.used != (use{1, .05, 2500}) {
			t.Errorf("%+v is counted", p.all.used)
		}
		if _, full, _ := p.reserve(t.Context(), "r", dear, true); full != want {
			t.Errorf("with %v: %q", usd, full)
		}
		if _, full, _ := p.reserve(t.Context(), "s", dear, true); full != "" {
			t.Errorf("another route: %q", full)
		}
	}
}
