package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"evolve/bench"
	"evolve/cmd/evolve/internal/hub/hubtest"
	"evolve/runtime/agent"
)

// world is a server and the processes that use it.
type world struct {
	t    testing.TB
	srv  *server.Server
	opts server.Options
	url  string
}

// newWorld starts a server that stores its streams in a temporary folder of the test.
func newWorld(t testing.TB) *world {
	w := &world{t: t, opts: *hubtest.Options(t.TempDir())}
	w.start()
	t.Cleanup(func() { hubtest.Stop(w.srv) })
	return w
}

func (w *world) start() {
	w.t.Helper()
	o := w.opts
	srv, err := hubtest.Start(&o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.srv, w.url = srv, srv.ClientURL()
	w.opts.Port = srv.Addr().(*net.TCPAddr).Port
}

func (w *world) stop() { hubtest.Stop(w.srv) }

func (w *world) connect(name string) *Hub {
	w.t.Helper()
	h, err := Connect(w.t.Context(), Options{URL: w.url, Name: name, Inbox: RunInbox, Patience: time.Minute, Log: dbgLog, Now: time.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(h.Close)
	return h
}

var dbgLog = slog.New(slog.DiscardHandler)

const program = "program one"

func offer() Offer {
	return Offer{Run: "run", Agent: "clerk", Binary: program, Version: "1", Epoch: rand.Text(), AckWait: time.Second, MaxAttempts: 3}
}

// coordinate makes an offer.
func (w *world) coordinate(o Offer) *Remote {
	w.t.Helper()
	r, err := w.connect("coordinator").Offer(w.t.Context(), o, nil, []byte("key"), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Close)
	return r
}

// crew is a worker in the test.
type crew struct {
	hub  *Hub
	stop context.CancelFunc
	// hurry ends the running tasks.
	hurry context.CancelFunc
	done  chan error
	// asked counts the worker's warnings.
	asked atomic.Int64
}

// work starts a worker that runs tasks with do.
func (w *world) work(name string, slots int, do func(context.Context, agent.Request) agent.Result) *crew {
	return w.workAs(&Worker{Name: name, Binary: program, Slots: slots}, do)
}

func (w *world) workAs(k *Worker, do func(context.Context, agent.Request) agent.Result) *crew {
	return w.workOn(w.connect(k.Name), k, do)
}

func (w *world) workOn(h *Hub, k *Worker, do func(context.Context, agent.Request) agent.Result) *crew {
	equip(k, h, w.t.TempDir(), do)
	ctx, stop := context.WithCancel(context.Background())
	hurry, now := context.WithCancel(context.Background())
	c := &crew{hub: k.Hub, stop: stop, hurry: now, done: make(chan error, 1)}
	if c.hub.o.Log == dbgLog {
		c.hub.o.Log = slog.New(counting{slog.DiscardHandler, &c.asked})
	}
	go func() { c.done <- k.Run(ctx, hurry) }()
	w.t.Cleanup(func() {
		stop()
		now()
		if err := <-c.done; err != nil && !errors.Is(err, ErrUnreachable) {
			w.t.Errorf("worker %s ended with %v", k.Name, err)
		}
	})
	return c
}

// equip sets the fields of a worker that are not set: a worker in a test needs no
// environment, and its agent runs tasks with do.
func equip(k *Worker, h *Hub, scratch string, do doing) {
	k.Hub, k.Version, k.Scratch, k.OpaqueName = h, "1", scratch, rand.Text
	if k.Missing == nil {
		k.Missing = func([]string) []string { return nil }
	}
	if k.Open == nil {
		k.Open = func(context.Context, Offer, string, string) (Served, error) {
			return Served{Agent: do, Typed: func(c agent.Config) agent.Config { return c }, Close: func() error { return nil }}, nil
		}
	}
}

// counting counts warnings.
type counting struct {
	slog.Handler
	n *atomic.Int64
}

func (c counting) Enabled(context.Context, slog.Level) bool { return true }

func (c counting) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		c.n.Add(1)
	}
	return nil
}

// kill ends a worker the way a killed process ends: its connection is cut, and nothing that
// it does afterwards reaches the server.
func (c *crew) kill() {
	c.hub.nc.Close()
	c.hurry()
}

type doing func(context.Context, agent.Request) agent.Result

func (d doing) Run(ctx context.Context, req agent.Request) agent.Result { return d(ctx, req) }

// echo answers with the task's goal and what the config makes of it.
func echo(_ context.Context, req agent.Request) agent.Result {
	s := fmt.Sprint(req.Task.Goal, " ", req.Seed)
	return agent.Result{Answer: &s, Outcome: agent.OK, Usage: agent.Usage{CostUSD: .25}}
}

func request(n int) agent.Request {
	return agent.Request{ID: rand.Text(), Task: agent.Task{ID: fmt.Sprint("t", n), Goal: fmt.Sprint("goal ", n)}, Config: agent.Config{"a": int64(n)}, Seed: int64(n)}
}

// evaluating returns the context for the first attempt at an evaluation.
func evaluating(ctx context.Context, seq int64) context.Context {
	return bench.WithAttempt(ctx, bench.Attempt{Seq: seq, Try: 1})
}

// ask runs n tasks at once and returns their results.
func ask(ctx context.Context, r *Remote, n int) []agent.Result {
	out := make([]agent.Result, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[i] = r.Run(evaluating(ctx, int64(i)), request(i))
			r.Recorded(int64(i))
		}()
	}
	wg.Wait()
	return out
}

func checkEchoes(t *testing.T, got []agent.Result) {
	t.Helper()
	for i, res := range got {
		if want := fmt.Sprint("goal ", i, " ", i); res.Outcome != agent.OK || res.Answer == nil || *res.Answer != want {
			t.Fatalf("task %d ended with %s %v (%s), want %q", i, res.Outcome, res.Answer, res.Error, want)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// untilEmpty waits until the server has neither a job nor an answer.
func (r *Remote) untilEmpty(t testing.TB) {
	t.Helper()
	for _, name := range []string{workStream, answerStream} {
		for left := uint64(1); left > 0; time.Sleep(time.Millisecond) {
			s, err := r.hub.js.Stream(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			left = s.CachedInfo().State.Msgs
		}
	}
}
