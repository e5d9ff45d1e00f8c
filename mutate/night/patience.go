package night

import (
	"slices"
	"sync"
	"time"
)

// Bounds on the time of a request to a model of search.reflect: an absolute bound before
// the first answer, and then a multiple of the longest time that the latest answers took.
const (
	firstPatience  = 10 * time.Minute
	leastPatience  = 30 * time.Second
	mostPatience   = 30 * time.Minute
	patienceTimes  = 4
	patienceSample = 8
)

// patience computes time bounds for requests from the durations of earlier requests to the
// same route. It is safe for concurrent use.
type patience struct {
	mu   sync.Mutex
	took map[string][]time.Duration
	// all is the total time of all requests, including those that were cancelled.
	all time.Duration
}

// bound returns the time that a request to a route may take.
func (p *patience) bound(route string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.took[route]) == 0 {
		return firstPatience
	}
	return min(max(patienceTimes*slices.Max(p.took[route]), leastPatience), mostPatience)
}

// spend adds the time of a request to the total time of all requests, and spent returns
// that total.
func (p *patience) spend(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all += took
}

func (p *patience) spent() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}

// ended records a request. A request without an answer doubles the bound: the next request
// may take twice as long, in case the route has become slower.
func (p *patience) ended(route string, took time.Duration, answered bool) {
	if !answered {
		took = p.bound(route) * 2 / patienceTimes
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.took == nil {
		p.took = map[string][]time.Duration{}
	}
	p.took[route] = append(p.took[route], took)
	p.took[route] = p.took[route][max(0, len(p.took[route])-patienceSample):]
}
