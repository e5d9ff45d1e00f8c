package command

import (
	"context"
	"slices"
	"sync"

	"evolve/runtime/agent"
)

// processes are the places of an agent's programs. A request gets the program that last had its
// config, if that is free: many programs set up a config once, and only answer after that.
type processes struct {
	// free has a token for each place that no request has.
	free chan struct{}

	mu sync.Mutex
	// places are those without a request, the one that was used longest ago first.
	places []place
}

// place is a program, nil where none is started, with the config of its last request.
type place struct {
	worker *worker
	config agent.ConfigID
}

// take waits for a place, and returns its program, or nil. It prefers a program that had the
// config, and then a place without a program. An error is the context's cause.
func (p *processes) take(ctx context.Context, config agent.ConfigID) (*worker, error) {
	select {
	case <-p.free:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.places, func(f place) bool { return f.worker != nil && f.config == config })
	if at < 0 {
		at = max(0, slices.IndexFunc(p.places, func(f place) bool { return f.worker == nil }))
	}
	w := p.places[at].worker
	p.places = slices.Delete(p.places, at, at+1)
	return w, nil
}

// put returns a place with its program, or nil, and the config that it had.
func (p *processes) put(w *worker, config agent.ConfigID) {
	p.mu.Lock()
	p.places = append(p.places, place{w, config})
	p.mu.Unlock()
	p.free <- struct{}{}
}

// vacate adds n places without a program.
func (p *processes) vacate(n int) {
	for range n {
		p.put(nil, "")
	}
}
