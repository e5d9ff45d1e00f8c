package night

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// purse keeps the requests to models within the bounds that search.reflect sets on their
// number, cost and tokens. The most that a request can use is reserved before it is sent. A
// purse is safe for concurrent use.
type purse struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a reservation ends
	all     pocket
	routes  map[string]*pocket
}

// pocket holds the usage of the requests to all routes or to one route.
type pocket struct {
	mutate.Rate
	// name is the name of the section that sets the bounds, such as "search.reflect".
	name string
	used use
	// lost is the maximum usage of the requests without an answer; used includes it.
	lost use
	// held is the maximum usage of the requests under way.
	held use
	// dense is the highest ratio of the input tokens that a request used to the request's
	// bound on input tokens; it is 0 before the first request.
	dense float64
	// dearest is the highest usage of any request. It is used as the bound if the model
	// does not give one.
	dearest use
	// broken describes how an answer exceeded the maximum usage of its request; it is empty
	// if none did.
	broken string
	// full reports whether a bound ended the requests.
	full bool
}

// use is a number of requests, with their cost in USD and their tokens.
type use struct {
	calls  int
	usd    float64
	tokens int64
}

func (u use) plus(o use) use { return use{u.calls + o.calls, u.usd + o.usd, u.tokens + o.tokens} }

func (u use) minus(o use) use { return use{u.calls - o.calls, u.usd - o.usd, u.tokens - o.tokens} }

// looser is the factor by which a request may exceed the highest number of tokens per byte
// of all earlier requests to the same route.
const looser = 1.5

func newPurse(r Reflect) *purse {
	p := &purse{changed: make(chan struct{}), all: pocket{Rate: r.Rate, name: "search.reflect"}, routes: map[string]*pocket{}}
	for _, route := range r.Routes {
		p.routes[route.Name] = &pocket{Rate: route.Rate, name: "route " + route.Name + " of search.reflect"}
	}
	return p
}

// of returns the pocket of a route. The caller holds the lock.
func (p *purse) of(route string) *pocket {
	if p.routes[route] == nil {
		p.routes[route] = &pocket{}
	}
	return p.routes[route]
}

// spend counts a request that an earlier process of the run made. lost reports whether
// the request got no answer.
func (p *purse) spend(route string, u use, lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range []*pocket{&p.all, p.of(route)} {
		k.count(u, lost)
	}
}

func (k *pocket) count(u use, lost bool) {
	k.used = k.used.plus(u)
	if lost {
		k.lost = k.lost.plus(u)
	}
}

// sums returns the usage of the requests to each route, and the part of it that belongs to
// requests without an answer.
func (p *purse) sums() map[string]struct{ used, lost use } {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]struct{ used, lost use }{}
	for name, k := range p.routes {
		out[name] = struct{ used, lost use }{k.used, k.lost}
	}
	return out
}

// reserve waits until the bounds allow a request to a route that uses at most the given
// amount, and reserves that amount, or less if earlier requests to the route had fewer
// tokens per byte. If the bounds will never allow the request, or do not allow it now and
// wait is false, full is the reason. An error is the context's cause.
func (p *purse) reserve(ctx context.Context, route string, most model.Most, wait bool) (h *held, full string, err error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, "", err
		}
		p.mu.Lock()
		r := p.of(route)
		u := r.bound(most)
		if full := cmp.Or(p.distrusts(r), r.refuses(u, r.used), p.all.refuses(u, p.all.used)); full != "" {
			p.mu.Unlock()
			return nil, full, nil
		}
		full := cmp.Or(r.refuses(u, r.used.plus(r.held)), p.all.refuses(u, p.all.used.plus(p.all.held)))
		if full == "" {
			r.held, p.all.held = r.held.plus(u), p.all.held.plus(u)
			p.mu.Unlock()
			return &held{purse: p, route: route, most: most, use: u}, "", nil
		}
		changed := p.changed
		p.mu.Unlock()
		if !wait {
			return nil, full, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// distrusts returns the reason why a route gets no further requests: an answer exceeded the
// maximum usage of its request, so reservations cannot guarantee the bounds on money and
// tokens. It returns "" if there are no such bounds.
func (p *purse) distrusts(r *pocket) string {
	if r.MaxUSD > 0 || r.MaxTokens > 0 || p.all.MaxUSD > 0 || p.all.MaxTokens > 0 {
		return r.broken
	}
	return ""
}

// bound returns the maximum usage of a request.
func (k *pocket) bound(most model.Most) use {
	share := 1.0
	if most == (model.Most{}) {
		return use{1, k.dearest.usd, k.dearest.tokens}
	}
	if k.dense > 0 {
		share = min(1, k.dense*looser)
	}
	return use{1, most.InputUSD*share + most.OutputUSD, int64(math.Ceil(float64(most.Input)*share-1e-9)) + most.Output}
}

// rounding is the relative tolerance for rounding errors: a sum may exceed a bound on money
// by this fraction of the bound.
const rounding = 1e-9

// refuses returns the reason why the bounds do not allow a request that uses at most u in
// addition to the present usage; it returns "" if they do allow it.
func (k *pocket) refuses(u, used use) string {
	switch {
	case k.MaxCalls > 0 && used.calls+u.calls > k.MaxCalls:
		return fmt.Sprintf("max_calls of %s has been reached: %d", k.name, k.MaxCalls)
	case k.MaxUSD > 0 && used.usd+u.usd > k.MaxUSD*(1+rounding):
		return fmt.Sprintf("max_usd of %s leaves no room for the next request: $%.4g of $%.4g is used, and the request can cost up to $%.4g", k.name, used.usd, k.MaxUSD, u.usd)
	case k.MaxTokens > 0 && used.tokens+u.tokens > k.MaxTokens:
		return fmt.Sprintf("max_tokens of %s leaves no room for the next request: %d of %d tokens are used, and the request can use up to %d", k.name, used.tokens, k.MaxTokens, u.tokens)
	}
	return ""
}

// reached returns a description of each exhausted bound on the number of requests.
func (p *purse) reached() (out []string) {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range append([]*pocket{&p.all}, slices.SortedFunc(maps.Values(p.routes), func(x, y *pocket) int { return cmp.Compare(x.name, y.name) })...) {
		if k.MaxCalls > 0 && k.used.calls >= k.MaxCalls {
			out = append(out, k.refuses(use{calls: 1}, k.used))
		}
	}
	return out
}

// ends records that a bound ends the requests to a route, and reports whether this is the
// first time.
func (p *purse) ends(route string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.of(route)
	first := !k.full
	k.full = true
	return first
}

// held is the reservation for one request. It must be ended exactly once.
type held struct {
	*purse
	route string
	most  model.Most
	use   use
}

// pay ends the reservation and counts the usage of the request.
func (h *held) pay(u agent.Usage) use {
	used := h.usedBy(u)
	h.end(used, u.InputTokens, false)
	return used
}

// usedBy returns the usage of an answer. If the usage exceeds the maximum of its request,
// usedBy closes the route to further requests.
func (h *held) usedBy(u agent.Usage) use {
	used, m := use{1, max(0, u.CostUSD), max(0, u.InputTokens+u.OutputTokens)}, h.most
	if m == (model.Most{}) || used.tokens <= m.Tokens() && used.usd <= m.USD()*(1+rounding) {
		return used
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.of(h.route)
	r.broken = cmp.Or(r.broken, fmt.Sprintf("route %s gets no further requests: an answer used %d tokens and $%.4g, although its request was expected to use at most %d and $%.4g",
		h.route, used.tokens, used.usd, m.Tokens(), m.USD()))
	return used
}

// lose ends the reservation of a request that was cut off and whose usage is therefore
// unknown.
func (h *held) lose() { h.end(h.use, 0, true) }

// release ends the reservation of a request that was not sent.
func (h *held) release() { h.end(use{}, 0, false) }

func (h *held) end(u use, input int64, lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range []*pocket{&h.all, h.of(h.route)} {
		k.held = k.held.minus(h.use)
		k.count(u, lost)
	}
	r := h.of(h.route)
	r.dearest = use{0, max(r.dearest.usd, u.usd), max(r.dearest.tokens, u.tokens)}
	if h.most.Input > 0 {
		r.dense = max(r.dense, float64(input)/float64(h.most.Input))
	}
	close(h.changed)
	h.changed = make(chan struct{})
}
