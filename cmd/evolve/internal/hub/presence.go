package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"evolve/runtime/text"
)

// Presence is what a worker publishes about itself with each heartbeat.
type Presence struct {
	Name    string `json:"name"`
	Binary  string `json:"binary"`
	Version string `json:"version"`
	System  string `json:"system"`
	Slots   int    `json:"slots"`
	Busy    int    `json:"busy"`
	// Serves holds the tokens of the offers that the worker serves, and Refuses maps the
	// tokens of other offers to the reasons why the worker does not serve them.
	Serves  []string          `json:"serves,omitempty"`
	Refuses map[string]string `json:"refuses,omitempty"`
}

// The numbers of heartbeat intervals after which an offer is renewed (renewals) and after
// which lost jobs are searched for (looks).
const (
	renewals = 6
	looks    = 3
)

// attendAll tracks which workers serve the offer, renews the offer, and searches for lost
// jobs, until the offer is closed.
func (r *Remote) attendAll(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.workers, r.seen, r.alone = map[string]Presence{}, map[string]time.Time{}, make(chan struct{})
	r.stops = append(r.stops, stop)
	r.mu.Unlock()
	if err := r.watch(ctx); err != nil {
		return err
	}
	r.attend()
	go func() {
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			r.forget()
			r.attend()
			if n%renewals == 0 && r.hub.connected() {
				_ = r.announce(ctx) // the next renewal makes up for a failure
			}
			if n%looks == 0 && r.hub.connected() {
				r.look(ctx)
			}
		}
	}()
	return nil
}

// watch begins to follow the heartbeats of workers. It replaces an earlier watch, because
// that watch has ended if the server lost its bucket.
func (r *Remote) watch(ctx context.Context) error {
	kv, err := r.hub.js.KeyValue(ctx, workerBucket)
	if err != nil {
		return refused("the bucket "+workerBucket, err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	w, err := kv.WatchAll(ctx)
	if err != nil {
		stop()
		return refused("the bucket "+workerBucket, err)
	}
	r.mu.Lock()
	before := r.unwatch
	r.unwatch = func() { stop(); _ = w.Stop() }
	r.mu.Unlock()
	if before != nil {
		before()
	}
	go func() {
		for {
			select {
			case e, ok := <-w.Updates():
				if !ok {
					return
				}
				if e != nil {
					r.see(e)
					r.attend()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// see records a worker's heartbeat.
func (r *Remote) see(e jetstream.KeyValueEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var p Presence
	if e.Operation() != jetstream.KeyValuePut || json.Unmarshal(e.Value(), &p) != nil {
		delete(r.workers, e.Key())
		return
	}
	if was, known := r.workers[e.Key()]; !known || was.Refuses[r.token] != p.Refuses[r.token] {
		if why := p.Refuses[r.token]; why != "" {
			r.hub.o.Log.Warn("a worker does not serve the agent", "worker", text.Clip(p.Name, 80), "agent", r.offer.Agent, "reason", text.Clip(why, 200))
		}
	}
	r.workers[e.Key()], r.seen[e.Key()] = p, r.hub.o.Now()
	r.stats.Workers = max(r.stats.Workers, r.served())
}

// forget removes the workers whose latest heartbeat is older than presenceAge, but only
// while there is a connection.
func (r *Remote) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, at := range r.seen {
		if r.hub.connected() && r.hub.o.Now().Sub(at) > presenceAge {
			delete(r.seen, key)
			delete(r.workers, key)
		}
	}
}

// attend starts the timer that ends the wait for a worker, or stops it once a worker serves
// the agent.
func (r *Remote) attend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.hub.o.Patience == 0 {
		return
	}
	if r.served() > 0 {
		if r.lonely != nil && !r.lonely.Stop() {
			r.alone = make(chan struct{})
		}
		r.lonely = nil
		return
	}
	if r.lonely == nil {
		alone := r.alone
		r.lonely = time.AfterFunc(r.hub.o.Patience, func() { close(alone) })
	}
}

// served returns the number of workers that serve the agent.
func (r *Remote) served() int {
	n := 0
	for _, p := range r.workers {
		if slices.Contains(p.Serves, r.token) {
			n++
		}
	}
	return n
}

// obstacles describes the reasons why the present workers do not serve the agent.
func (r *Remote) obstacles() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.workers) == 0 {
		return ": none is connected"
	}
	var why []string
	for _, p := range r.workers {
		if s := p.Refuses[r.token]; s != "" && !slices.Contains(why, s) {
			why = append(why, text.Clip(s, 200))
		}
	}
	slices.Sort(why)
	return fmt.Sprintf(": %d connected; %s", len(r.workers), strings.Join(why, "; "))
}

// Workers lists the workers that are present, by name.
func (h *Hub) Workers(ctx context.Context) ([]Presence, error) {
	ctx, stop := context.WithTimeout(ctx, 3*requestTime)
	defer stop()
	kv, err := h.js.KeyValue(ctx, workerBucket)
	if err != nil {
		return nil, refused("the bucket "+workerBucket, err)
	}
	keys, err := kv.ListKeys(ctx)
	if err != nil {
		return nil, refused("the bucket "+workerBucket, err)
	}
	list := []Presence{}
	for key := range keys.Keys() {
		e, err := kv.Get(ctx, key)
		if err != nil {
			continue // the worker has just left
		}
		var p Presence
		if json.Unmarshal(e.Value(), &p) == nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Presence) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
