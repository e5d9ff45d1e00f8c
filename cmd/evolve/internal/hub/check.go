package hub

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Report is the result of a check of a hub.
type Report struct {
	Server string `json:"server"`
	TLS    bool   `json:"tls"`
	// RoundTrip is the time that it took to store one message.
	RoundTrip time.Duration `json:"round_trip_ns"`
	// Waiting is the number of jobs in the queue, and Answers is the number of answers that
	// no run has taken.
	Waiting uint64     `json:"waiting"`
	Answers uint64     `json:"answers"`
	Workers []Presence `json:"workers"`
}

// Check verifies that, with these credentials, the server supports everything that a run
// needs.
func (h *Hub) Check(ctx context.Context) (Report, error) {
	r := Report{Server: h.nc.ConnectedServerVersion(), TLS: h.nc.TLSRequired()}
	if err := h.Setup(ctx); err != nil {
		return r, err
	}
	ctx, stop := context.WithTimeout(ctx, 3*requestTime)
	defer stop()
	probe := "check-" + rand.Text()[:8]
	begun := h.o.Now()
	if _, err := h.js.Publish(ctx, workSubject+probe, []byte("{}")); err != nil {
		return r, refused("the stream "+workStream, err)
	}
	r.RoundTrip = h.o.Now().Sub(begun)
	work, err := h.js.Stream(ctx, workStream)
	if err != nil {
		return r, refused("the stream "+workStream, err)
	}
	if err := work.Purge(ctx, jetstream.WithPurgeSubject(workSubject+probe)); err != nil {
		return r, refused("the stream "+workStream, err)
	}
	if info, err := work.Info(ctx); err == nil {
		r.Waiting = info.State.Msgs
	}
	if answers, err := h.js.Stream(ctx, answerStream); err == nil {
		r.Answers = answers.CachedInfo().State.Msgs
	}
	r.Workers, err = h.Workers(ctx)
	return r, err
}
