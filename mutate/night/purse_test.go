package night

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// dear is a request with at most 1,000 input tokens, which cost 1 cent, and at most 1,000
// output tokens, which cost 3 cents.
var dear = model.Most{Input: 1000, Output: 1000, InputUSD: .01, OutputUSD: .03}

// TestPurseReserves checks that a request is sent only if the bounds cover its maximum
// use in addition to the maximum use of the requests under way. It also tests that
// whatever a request does not use becomes available again.
func TestPurseReserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPurse(Reflect{Rate: mutate.Rate{MaxUSD: .10}, Routes: []ReflectRoute{
			{AuthorRoute: mutate.AuthorRoute{Name: "dear", Rate: mutate.Rate{MaxTokens: 10_000}}},
			{AuthorRoute: mutate.AuthorRoute{Name: "tiny", Rate: mutate.Rate{MaxUSD: .03}}},
		}})
		ctx := t.Context()
		reserve := func(route string) *held {
			t.Helper()
			h, full, err := p.reserve(ctx, route, dear, true)
			if err != nil || full != "" {
				t.Fatalf("%s: %q, %v", route, full, err)
			}
			return h
		}
		if _, full, _ := p.reserve(ctx, "tiny", dear, true); !strings.Contains(full, "max_usd of route tiny of search.reflect leaves no room for the next request: $0 of $0.03 is used, and the request can cost up to $0.04") {
			t.Errorf("a request that can exceed the whole bound: %q", full)
		}
		first, second := reserve("dear"), reserve("dear")
		third := make(chan *held)
		go func() { third <- reserve("dear") }()
		synctest.Wait()
		select {
		case <-third:
			t.Fatal("a third request was sent beside two that can use 8 of 10 cents")
		default:
		}
		first.pay(agent.Usage{InputTokens: 200, OutputTokens: 100, CostUSD: .005})
		next := <-third // half a cent is used and 4 are held; this request holds 3.3, with 1.5 times the expected input
		if next.use.tokens != 1300 || next.use.usd < .0329 || next.use.usd > .0331 {
			t.Errorf("a request after one with a fifth of the tokens of its bytes holds %+v", next.use)
		}
		second.lose()
		next.pay(agent.Usage{InputTokens: 200, OutputTokens: 1000, CostUSD: .032})
		if _, full, _ := p.reserve(ctx, "dear", dear, true); !strings.Contains(full, "$0.077 of $0.1 is used") {
			t.Errorf("a request that was cut off counts at its bound: %q", full)
		}
	})
}

// TestPurseAfterAKill checks that requests of an earlier process count, and that a wait
// ends with its context.
func TestPurseAfterAKill(t *testing.T) {
	p := newPurse(Reflect{Rate: mutate.Rate{MaxCalls: 2}, Routes: []ReflectRoute{{AuthorRoute: mutate.AuthorRoute{Name: "r", Rate: mutate.Rate{MaxCalls: 1}}}, {AuthorRoute: mutate.AuthorRoute{Name: "s"}}}})
	p.spend("r", use{calls: 1}, false)
	if _, full, _ := p.reserve(t.Context(), "r", dear, true); full != "max_calls of route r of search.reflect has been reached: 1" {
		t.Errorf("%q", full)
	}
	if _, full, err := p.reserve(t.Context(), "s", dear, true); full != "" || err != nil {
		t.Fatal(full, err)
	}
	over := errors.New("over")
	ctx, end := context.WithCancelCause(t.Context())
	end(over)
	if _, _, err := p.reserve(ctx, "s", dear, true); !errors.Is(err, over) {
		t.Errorf("a wait beside the last request: %v", err)
	}
}
