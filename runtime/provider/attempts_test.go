package provider_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

// till reserves attempts of requests until no more are allowed, and records how they end.
type till struct {
	left int
	most []model.Most
	ends []string
	usd  float64
}

var errNoRoom = errors.New("no room")

func (l *till) Reserve(_ context.Context, most model.Most, _ bool) (model.Reservation, error) {
	if l.left--; l.left < 0 {
		return nil, errNoRoom
	}
	l.most = append(l.most, most)
	return l, nil
}

func (l *till) Pay(u agent.Usage) { l.ends, l.usd = append(l.ends, "paid"), l.usd+u.CostUSD }
func (l *till) Lose()             { l.ends = append(l.ends, "lost") }
func (l *till) Release()          { l.ends = append(l.ends, "released") }

// TestEachAttemptIsReserved checks that before an attempt of a request is sent, the
// maximum that the attempt can use is reserved at the prices of its provider. No attempt
// may be made without a reservation.
func TestEachAttemptIsReserved(t *testing.T) {
	quick := policy.Settings{Attempts: 4, Backoff: time.Millisecond, MaxBackoff: time.Millisecond}
	request := &model.Request{Goal: "Which port does the cache use?", Remaining: 3}
	tell := func(r *provider.Router, l *till) (model.Reply, error) {
		attempts, err := model.BeginAttempts(t.Context(), l, r.AtMost(request))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := r.Next(attempts.Within(t.Context()), request)
		attempts.End(reply.Usage, false)
		return reply, err
	}
	for _, kind := range kinds {
		failing := serve(t, kind, answering(500, "{}"), answering(429, "{}"), answering(503, "{}"), answering(200, saying(kind, "8080")))
		r := router(t, failing.endpoint(), func(o *provider.Options) {
			o.Guard = engine(t, policy.Book{Providers: map[string]policy.Settings{failing.endpoint().Name: quick}})
		})
		l := &till{left: 4}
		reply, err := tell(r, l)
		if err != nil || !slices.Equal(l.ends, []string{"lost", "released", "released", "paid"}) || math.Abs(l.usd-reply.Usage.CostUSD) > 1e-12 || l.usd <= 0 {
			t.Errorf("%s: %v, $%v of $%v, %v", kind, l.ends, l.usd, reply.Usage.CostUSD, err)
		}
		full := serve(t, kind, answering(500, "{}"))
		r = router(t, full.endpoint(), func(o *provider.Options) {
			o.Guard = engine(t, policy.Book{Providers: map[string]policy.Settings{full.endpoint().Name: quick}})
		})
		l = &till{left: 1}
		if _, err := tell(r, l); !errors.Is(err, errNoRoom) || !slices.Equal(l.ends, []string{"lost"}) {
			t.Errorf("%s: %v, %v", kind, l.ends, err)
		}
	}

	dear, cheap := serve(t, provider.OpenAI).endpoint(), serve(t, provider.OpenAI, answering(200, saying(provider.OpenAI, "cheap"))).endpoint()
	dear.Name, cheap.Name = "dear", "cheap"
	r := router(t, dear, func(o *provider.Options) {
		o.Endpoints = append(o.Endpoints, cheap)
		o.Routes = []provider.Route{{Name: "main", Provider: "dear", Model: "large"}, {Name: "code", Provider: "cheap", Model: "small"}}
		o.Prices["large"] = provider.Price{Input: 20, Output: 100}
		o.Guard = engine(t, policy.Book{Providers: map[string]policy.Settings{"dear": {PerRun: policy.Budget{USD: 1e-9}, Exhausted: policy.Degrade, DegradedTo: "cheap"}}})
	})
	l := &till{left: 2}
	if _, err := tell(r, l); err != nil || !slices.Equal(l.ends, []string{"released", "paid"}) || math.Abs(l.most[0].USD()-10*l.most[1].USD()) > 1e-9 {
		t.Errorf("at another provider: %v of %v, %v", l.ends, l.most, err)
	}
}
