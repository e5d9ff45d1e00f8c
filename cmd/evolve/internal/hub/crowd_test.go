package hub

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"evolve/runtime/agent"
)

// TestManyWorkersWait checks that the queue lets more workers wait for a job than the
// server's default of 512, and that each of them gets a job.
func TestManyWorkersWait(t *testing.T) {
	const workers = 600
	w := newWorld(t)
	r := w.coordinate(offer())
	queue, err := w.connect("workers").js.Consumer(t.Context(), workStream, r.offer.Queue)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, workers)
	for range workers {
		batch, err := queue.Fetch(1, jetstream.FetchMaxWait(10*time.Minute), jetstream.FetchHeartbeat(20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if m := <-batch.Messages(); m == nil {
				got <- batch.Error()
			} else {
				got <- m.Term()
			}
		}()
	}
	for waiting := 0; waiting < workers && len(got) == 0; time.Sleep(time.Millisecond) {
		info, err := queue.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting = info.NumWaiting
	}
	ctx, giveUp := context.WithCancel(t.Context())
	asked := make(chan []agent.Result)
	go func() { asked <- ask(ctx, r, workers) }()
	for range workers {
		if err := <-got; err != nil {
			t.Fatalf("a worker gets no job: %v", err)
		}
	}
	giveUp()
	<-asked
}
