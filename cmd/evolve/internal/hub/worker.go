package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Served is an agent that a worker has opened.
type Served struct {
	Agent agent.Agent
	// Parallel is the maximum number of tasks that the agent runs at once; 0 means that it
	// has no limit of its own.
	Parallel int
	// Typed converts the values in a config that was decoded from JSON to their declared
	// types.
	Typed func(agent.Config) agent.Config
	// Renew resets the agent's state; it is nil if there is nothing to reset.
	Renew func() error
	Close func() error
}

// Worker runs the jobs of offers.
type Worker struct {
	Hub *Hub
	// Name distinguishes the worker from the other workers of a hub.
	Name string
	// Binary and Version identify this program, as in [Offer].
	Binary, Version string
	// Slots is the maximum number of tasks that run at once.
	Slots int
	// Scratch is an empty folder for the worker's own use.
	Scratch string
	// Missing returns those of the named environment variables that this process does not
	// have.
	Missing func(names []string) []string
	// Open opens an offer's agent from the folder into which the offer's bundle was
	// unpacked. If it returns an error, the offer is refused.
	Open func(ctx context.Context, o Offer, dir, scratch string) (Served, error)
	// Pause waits before an offer that could not be opened is tried again; it ends early
	// if ctx ends. If Pause is nil, the worker waits in real time.
	Pause func(ctx context.Context, d time.Duration)
	// OpaqueName returns a name for a working directory that reveals nothing about the
	// task.
	OpaqueName func() string
	// Lost returns the total time for which this process has been stopped so far; if it is
	// nil, the process was never stopped.
	Lost func() time.Duration
	// Meter counts the worker's tasks and calls; if it is nil, nothing is counted.
	Meter Meter

	// busy is the number of running tasks.
	busy  atomic.Int64
	slots chan struct{}
	parts *blobs
	calls *blobs

	mu      sync.Mutex
	offers  map[string]noted
	changed chan struct{}
	told    string // the latest warning about the offers
}

// heartbeat is the time between two heartbeats of a worker.
const heartbeat = presenceAge / 3

// startAttempts limits the attempts to follow the offers of a hub that has not answered
// yet. A cluster that has just started needs several.
const startAttempts = 10

// Run serves offers until ctx ends. Then it takes no more jobs, continues its present jobs
// until hurry ends, returns unfinished jobs to the queue, and returns nil. It returns an
// error if the connection has ended for good, or if the hub has refused each of the first
// attempts to follow its offers because JetStream or a permission is missing.
func (w *Worker) Run(ctx, hurry context.Context) error {
	w.slots, w.parts, w.calls = make(chan struct{}, w.Slots), w.Hub.blobs(partStore, answerAge), w.Hub.blobs(bundleStore, bundleAge)
	if w.Meter == nil {
		w.Meter = noMeter{}
	}
	if w.Pause == nil {
		w.Pause = pause
	}
	w.mu.Lock() // for State
	w.offers, w.changed = map[string]noted{}, make(chan struct{}, 1)
	w.mu.Unlock()
	w.Hub.whenBack(w.parts.Forget)
	var wg conc.WaitGroup
	serving, stop := context.WithCancel(ctx)
	there, leave := context.WithCancel(context.WithoutCancel(ctx))
	var presence conc.WaitGroup
	presence.Go(func() { w.present(there) }) // the presence is published until the last task ends, because a run waits for that task
	defer presence.Wait()
	defer leave()
	defer wg.Wait()
	defer stop()
	again := make(chan struct{}, 1)
	w.Hub.whenBack(func() {
		select {
		case again <- struct{}{}:
		default:
		}
	})
	wg.Go(func() { // the offers of a run that died expire without a notification
		for serving.Err() == nil {
			pause(serving, offerAge)
			select {
			case again <- struct{}{}:
			default:
			}
		}
	})
	at := following{worker: w, ctx: serving, hurry: hurry, wg: &wg, again: again, open: map[string]func(){}, last: map[string]Offer{}}
	for try := 1; ; try++ {
		err := at.follow()
		if ctx.Err() != nil {
			return nil
		}
		if gone := w.Hub.Err(); gone != nil {
			return gone
		}
		if errors.Is(err, ErrUnreachable) && !at.answered && try >= startAttempts {
			return err
		}
		if err != nil && err.Error() != w.told {
			w.told = err.Error()
			w.Hub.o.Log.Warn("the hub's offers cannot be watched; trying again", "error", w.told)
		}
		w.Pause(ctx, heartbeat/10)
	}
}

// following follows the offers of a hub.
type following struct {
	worker     *Worker
	ctx, hurry context.Context
	wg         *conc.WaitGroup
	// again receives a value when the watch must be started anew because the server was
	// gone.
	again chan struct{}
	// answered reports whether the hub has answered a request about its offers.
	answered bool
	// open contains the functions that stop serving the offers, and last contains the
	// offers that are served; both are keyed by token.
	open map[string]func()
	last map[string]Offer
}

// follow serves the offers as they appear and disappear. It returns when the watch must be
// started anew, and returns an error if the offers cannot be watched.
func (f *following) follow() error {
	h := f.worker.Hub
	if err := h.wait(f.ctx); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(f.ctx)
	defer stop()
	kv, err := h.js.KeyValue(ctx, offerBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		f.answered = true
		return errors.New("no run has used this hub yet")
	}
	if err != nil {
		return refused("the bucket "+offerBucket, err)
	}
	watch, err := kv.WatchAll(ctx)
	if err != nil {
		return refused("the bucket "+offerBucket, err)
	}
	defer func() { _ = watch.Stop() }()
	seen := map[string]bool{}
	for {
		select {
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return errors.New("the watch on the hub's offers has ended")
			case e != nil:
				seen[e.Key()] = true
				f.update(e)
			default: // all present offers were received
				f.answered = true
				for token := range f.open {
					if !seen[token] {
						f.end(token)
					}
				}
			}
		case <-f.again:
			return nil
		case <-f.ctx.Done():
			return context.Cause(f.ctx)
		case <-h.Failed():
			return h.Err()
		}
	}
}

// end stops serving an offer.
func (f *following) end(token string) {
	f.open[token]()
	delete(f.open, token)
}

// update begins or stops serving an offer, as an entry in the bucket of offers requires.
func (f *following) update(e jetstream.KeyValueEntry) {
	token := e.Key()
	var o Offer
	gone := e.Operation() != jetstream.KeyValuePut || json.Unmarshal(e.Value(), &o) != nil
	if f.open[token] != nil && (gone || !same(f.last[token], o)) {
		f.end(token)
	}
	if gone {
		f.worker.unnote(nil, token)
		return
	}
	if f.open[token] != nil {
		return
	}
	serving, stop := context.WithCancel(f.ctx)
	f.open[token], f.last[token] = stop, o
	f.wg.Go(func() { f.worker.serve(serving, f.hurry, token, o) })
}

// same reports whether two offers are equal.
func same(a, b Offer) bool {
	return reflect.DeepEqual(a, b)
}

// note records that an offer is served, or the reason why it is refused.
func (w *Worker) note(o *Offer, token, refuses string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offers[token] = noted{o, refuses}
	w.tell()
}

// unnote removes the record of an offer under a token. If the record belongs to a later
// offer under that token, it stays. If the offer is nil, the record is removed in any case.
func (w *Worker) unnote(o *Offer, token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o == nil || w.offers[token].offer == o {
		delete(w.offers, token)
	}
	w.tell()
}

// noted is a worker's decision on an offer.
type noted struct {
	offer *Offer
	// refuses is the reason why the worker does not serve the offer; it is empty if the
	// worker serves it.
	refuses string
}

// tell makes the worker publish its presence soon.
func (w *Worker) tell() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// serve opens an offer's agent and takes its jobs until ctx ends.
func (w *Worker) serve(ctx, hurry context.Context, token string, o Offer) {
	name := text.Clip(o.Agent, 80)
	refuse := func(why string) {
		w.note(&o, token, why)
		w.Hub.o.Log.Warn("an offer of work was refused", "agent", name, "run", text.Clip(o.Run, 80), "reason", why)
	}
	if o.Binary != w.Binary {
		refuse(fmt.Sprintf("the run uses %s, but this worker runs %s", ProgramName(o.Version, o.Binary), ProgramName(w.Version, w.Binary)))
		return
	}
	if missing := w.Missing(o.Needs); len(missing) > 0 {
		refuse(fmt.Sprintf("the environment of worker %s lacks the variables %v", w.Name, missing))
		return
	}
	served, dir, at, err := w.prepare(ctx, o)
	told := ""
	for wait := firstRetry; err != nil; wait = min(2*wait, longestRetry) {
		if ctx.Err() != nil {
			return
		}
		if why := err.Error(); why != told {
			told = why
			refuse(why)
		}
		w.Pause(ctx, wait)
		served, dir, at, err = w.prepare(ctx, o)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := &taker{worker: w, token: token, offer: o, served: served, scratch: at, running: map[string]context.CancelCauseFunc{}}
	if served.Parallel > 0 {
		t.own = make(chan struct{}, served.Parallel)
	}
	w.note(&o, token, "")
	w.Hub.o.Log.Info("serving", "agent", name, "run", text.Clip(o.Run, 80))
	t.serve(ctx, hurry)
	if err := served.Close(); err != nil {
		w.Hub.o.Log.Warn("the agent could not be closed", "agent", name, "error", err.Error())
	}
	w.unnote(&o, token)
}

// The first pause and the longest pause before another attempt to open an offer that
// could not be opened. The obstacle, such as a full disk, may pass. Each pause is twice
// as long as the one before, up to the longest.
const (
	firstRetry   = 30 * time.Second
	longestRetry = 5 * time.Minute
)

// prepare creates a folder for an offer and opens the offer's agent there. If there is an
// error, no folder remains.
func (w *Worker) prepare(ctx context.Context, o Offer) (served Served, dir, scratch string, err error) {
	if dir, err = os.MkdirTemp(w.Scratch, "offer-"); err != nil {
		return Served{}, "", "", fmt.Errorf("creating a folder for the agent: %w", withoutPath(err))
	}
	if served, scratch, err = w.openOffer(ctx, o, dir); err != nil {
		return Served{}, "", "", errors.Join(err, os.RemoveAll(dir))
	}
	return served, dir, scratch, nil
}

// withoutPath returns the cause of a file error without the path, because the names of
// temporary folders differ with each attempt, whereas the cause does not.
func withoutPath(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// openOffer fetches an offer's bundle and opens its agent. It also returns the folder for
// the working directories of jobs.
func (w *Worker) openOffer(ctx context.Context, o Offer, dir string) (Served, string, error) {
	var data []byte
	err := w.Hub.persist(ctx, func() (err error) {
		data, err = w.calls.Get(ctx, o.Bundle)
		return err
	})
	if err != nil {
		return Served{}, "", err
	}
	bundle, scratch := filepath.Join(dir, "workspace"), filepath.Join(dir, "scratch")
	for _, d := range []string{bundle, scratch} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return Served{}, "", err
		}
	}
	if err := Unpack(bundle, data); err != nil {
		return Served{}, "", err
	}
	var served Served
	if p := panics.Try(func() { served, err = w.Open(ctx, o, bundle, scratch) }); p != nil {
		err = fmt.Errorf("opening the agent panicked: %v", p.Value)
	}
	return served, scratch, err
}
