package mutate

import "testing"

// TestRequestsWithinTokens checks that requests end when the tokens of their answers reach
// a bound, even after the run is resumed.
func TestRequestsWithinTokens(t *testing.T) {
	t.Parallel()
	o := &Author{Rate: Rate{Every: 1, MaxTokens: 1000}, Routes: []AuthorRoute{{Name: "small", Rate: Rate{MaxTokens: 500}}, {Name: "big"}}}
	for _, resumed := range []bool{false, true} {
		r := NewRequests(o)
		use := func(route string, tokens int64) {
			if resumed {
				r.Recall(PastDraft{Route: route, Tokens: tokens})
				return
			}
			r.Ask(route)
			r.Tell(route, 0, tokens)
		}
		use("small", 499)
		if got := r.Routes(100); len(got) != 2 || !r.Due(100) {
			t.Errorf("below the bounds (resumed %v): routes %v, due %v", resumed, got, r.Due(100))
		}
		use("small", 1)
		if got := r.Routes(100); len(got) != 1 || got[0] != "big" || !r.Due(100) {
			t.Errorf("at the bound of a route (resumed %v): routes %v, due %v", resumed, got, r.Due(100))
		}
		use("big", 300)
		r.Ask("big") // counts as 267 tokens, the mean
		if r.Due(100) {
			t.Errorf("a request is due with one under way that reaches the bound (resumed %v)", resumed)
		}
		r.Tell("big", 0, 10)
		if !r.Due(100) {
			t.Errorf("no request is due below the bound (resumed %v)", resumed)
		}
		use("big", 190)
		if r.Due(100) {
			t.Errorf("a request is due at the bound (resumed %v)", resumed)
		}
	}
}

// TestRequestsClose checks that a route that has reached its bound gets no more requests,
// and that a request that was not sent does not count.
func TestRequestsClose(t *testing.T) {
	t.Parallel()
	r := NewRequests(&Author{Rate: Rate{Every: 10, MaxCalls: 2}, Routes: []AuthorRoute{{Name: "small"}, {Name: "big"}}})
	r.Ask("big")
	r.Close("big")
	r.Recall(PastDraft{Route: "small", CostUSD: 1})
	if got := r.Routes(100); len(got) != 1 || got[0] != "small" || !r.Due(20) {
		t.Errorf("routes %v, due %v", got, r.Due(20))
	}
	r.Recall(PastDraft{Route: "small", Full: true})
	if got := r.Routes(100); len(got) != 0 {
		t.Errorf("routes %v", got)
	}
}
