package command

import (
	"context"
	"slices"
	"sync"

	"evolve/runtime/agent"
)

// processes holds the slots for an agent's programs. A request gets the program whose last
// request had the same config, if that program is free, because many programs set up a
// config once before they can answer.
type processes struct {
	// free has a token for each slot that no request occupies.
	free chan struct{}

	mu sync.Mutex
	// places are the slots that no request occupies, least recently used first.
	places []place
}

// place is a slot for a program. worker is nil if no program is started, and config is
// the config of the last request.
type place struct {
	worker *worker
	config agent.ConfigID
}

// take waits for a free slot and returns its program, or nil if the slot has none. It
// prefers a program whose last request had the config, and then a slot without a program.
// An error is the context's cause.
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

// put frees a slot and stores its program, which may be nil, with the config of the
// program's last request.
func (p *processes) put(w *worker, config agent.ConfigID) {
	p.mu.Lock()
	p.places = append(p.places, place{w, config})
	p.mu.Unlock()
	p.free <- struct{}{}
}

// vacate adds n slots without a program.
func (p *processes) vacate(n int) {
	for range n {
		p.put(nil, "")
	}
}
