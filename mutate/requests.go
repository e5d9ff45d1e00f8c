package mutate

// Requests counts a night's requests to the models of an [Author], and keeps the requests
// within the author's bounds.
type Requests struct {
	names  []string // of the routes
	open   int      // asked and not told
	all    account
	routes []*account
}

// account counts requests, their cost and their tokens.
type account struct {
	Rate
	calls, told int
	usd         float64
	tokens      int64
	full        bool
}

// requestsOpen is the maximum number of requests under way.
const requestsOpen = 2

// NewRequests returns a Requests in which no request has been counted. o must not be nil.
func NewRequests(o *Author) *Requests {
	r := &Requests{all: account{Rate: o.Rate}}
	if r.all.Every <= 0 {
		r.all.Every = DefaultBriefEvery
	}
	for _, route := range o.Routes {
		r.names = append(r.names, route.Name)
		r.routes = append(r.routes, &account{Rate: route.Rate})
	}
	return r
}

// Due reports whether the bounds on all routes together allow a request after the given
// number of evaluations.
func (r *Requests) Due(spent int) bool { return r.open < requestsOpen && r.all.allows(spent) }

// Routes lists the routes whose bounds allow a request after the given number of
// evaluations.
func (r *Requests) Routes(spent int) []string {
	var out []string
	for i, a := range r.routes {
		if a.allows(spent) {
			out = append(out, r.names[i])
		}
	}
	return out
}

// Ask counts a request that is about to be sent to a route.
func (r *Requests) Ask(route string) {
	r.open++
	r.all.calls++
	r.account(route).calls++
}

// Tell counts the answer to a request, or its failure, with its cost and its tokens.
func (r *Requests) Tell(route string, usd float64, tokens int64) {
	r.open = max(0, r.open-1)
	r.all.charge(usd, tokens)
	r.account(route).charge(usd, tokens)
}

// Close removes a request from the counts because it was not sent: a bound ended the
// requests to its route.
func (r *Requests) Close(route string) {
	r.open = max(0, r.open-1)
	r.all.calls--
	r.account(route).calls--
	r.account(route).full = true
}

// Recall counts a request of this night that had ended before the run was resumed.
func (r *Requests) Recall(p PastDraft) {
	r.Ask(p.Route)
	if p.Full {
		r.Close(p.Route)
		return
	}
	r.Tell(p.Route, p.CostUSD, p.Tokens)
}

// account returns the account of a route. For an unknown route, it returns a new account
// that nothing else uses.
func (r *Requests) account(route string) *account {
	for i, name := range r.names {
		if name == route {
			return r.routes[i]
		}
	}
	return new(account)
}

// allows reports whether one more request is within the bounds after the given number of
// evaluations. For each request under way, it assumes the mean cost and the mean number of
// tokens.
func (a *account) allows(spent int) bool {
	foreseen := 1.0 // of the usage
	if a.told > 0 {
		foreseen = float64(a.calls) / float64(a.told)
	}
	return !a.full && (a.calls+1)*a.Every <= spent && (a.MaxCalls <= 0 || a.calls < a.MaxCalls) &&
		(a.MaxUSD <= 0 || a.usd*foreseen < a.MaxUSD) &&
		(a.MaxTokens <= 0 || float64(a.tokens)*foreseen < float64(a.MaxTokens))
}

func (a *account) charge(usd float64, tokens int64) {
	a.told++
	a.usd += max(0, usd)
	a.tokens += max(0, tokens)
}
