package hub

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"evolve/runtime/agent"
)

// TestOfferIsOpenedAgain checks that a worker that could not open an offer tries again
// after growing pauses, warns about each reason once, and serves the offer once it can open
// it.
func TestOfferIsOpenedAgain(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	var pauses []time.Duration
	tries := 0
	k := &Worker{Name: "w", Binary: program, Slots: 1}
	k.Pause = func(_ context.Context, d time.Duration) { pauses = append(pauses, d) }
	k.Open = func(context.Context, Offer, string, string) (Served, error) {
		if tries++; tries < 7 {
			return Served{}, errors.New("no space left on device")
		}
		return Served{Agent: doing(echo), Typed: func(c agent.Config) agent.Config { return c }, Close: func() error { return nil }}, nil
	}
	c := w.workAs(k, echo)
	checkEchoes(t, ask(t.Context(), r, 1))
	if want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute}; !slices.Equal(pauses, want) {
		t.Errorf("it paused for %v, want %v", pauses, want)
	}
	if c.asked.Load() != 1 {
		t.Errorf("it warned %d times", c.asked.Load())
	}
	for serves := 0; serves == 0; time.Sleep(time.Millisecond) { // the worker soon announces that it serves
		there, err := c.hub.Workers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range there {
			serves = len(p.Serves)
		}
	}
	if left, err := os.ReadDir(k.Scratch); err != nil || len(left) != 1 {
		t.Errorf("the folder of the worker has %v, %v", left, err)
	}
}

// TestOfferWithoutFolder checks that a worker whose own folder could not be written serves
// the offer once the folder can be written.
func TestOfferWithoutFolder(t *testing.T) {
	w := newWorld(t)
	r := w.coordinate(offer())
	k := &Worker{Name: "w", Binary: program, Slots: 1}
	gone := make(chan struct{})
	k.Missing = func([]string) []string {
		if err := os.Remove(k.Scratch); err != nil {
			t.Error(err)
		}
		return nil
	}
	k.Pause = func(context.Context, time.Duration) {
		close(gone)
		if err := os.Mkdir(k.Scratch, 0o700); err != nil {
			t.Error(err)
		}
	}
	w.workAs(k, echo)
	checkEchoes(t, ask(t.Context(), r, 1))
	<-gone
}
