package night

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// sending reserves the attempts of a request to a model of search.reflect, both within the
// bounds of search.reflect and within the run's budget. Each attempt is recorded before it
// is sent, so that it counts even if the process is killed while it is under way.
type sending struct {
	*author
	trial mutate.Trial

	mu       sync.Mutex
	attempts []reflection.Attempt
	// full is the bound that did not allow an attempt, and err the reason why an attempt
	// could not be recorded.
	full string
	err  error
}

// Reserve implements [model.Reserver].
func (s *sending) Reserve(ctx context.Context, most model.Most, wait bool) (model.Reservation, error) {
	route := s.trial.Brief.Route
	h, full, err := s.purse.reserve(ctx, route, most, wait)
	if err != nil || full != "" {
		return nil, s.refused(full, err)
	}
	ticket, err := s.Budget.ReserveCall(ctx, h.use.usd, wait)
	if err != nil {
		h.release()
		if errors.Is(err, bench.ErrBudget) {
			return nil, s.refused(fmt.Sprintf("the budget of the run leaves no room for the request: the request can cost up to $%.4g", h.use.usd), nil)
		}
		return nil, s.refused("", err)
	}
	asked, err := s.noteAsked(ctx, s.trial, h.use)
	if err != nil {
		h.release()
		ticket.Pay(0)
		return nil, s.refused("", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts = append(s.attempts, reflection.Attempt{Asked: asked})
	return &sentAttempt{s, h, ticket, len(s.attempts) - 1}, nil
}

// refused records why an attempt got no reservation, and returns the reason as an error.
func (s *sending) refused(full string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full = full; err == nil {
		return fmt.Errorf("%w: %s", bench.ErrBudget, full)
	}
	if errors.Is(err, bench.ErrRecorder) {
		s.err = err
	}
	return err
}

// ended returns the number of the ledger entry about the latest attempt. It also returns
// the attempts if their sum differs from the usage of the reply.
func (s *sending) ended() (asked int64, attempts []reflection.Attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.attempts[len(s.attempts)-1]
	if len(s.attempts) > 1 || last.Lost {
		attempts = s.attempts
	}
	return last.Asked, attempts
}

// noteAsked records an attempt that is about to be sent. It returns the number of the
// ledger entry.
func (a *author) noteAsked(ctx context.Context, t mutate.Trial, u use) (int64, error) {
	e, err := archive.NewLedgerEntry(a.Now(), AskedKind, a.Run.ID, AskedNote{
		Agent: a.Agent.ID, Brief: t.N, Route: t.Brief.Route, Tokens: u.tokens, USD: u.usd,
	})
	if err != nil {
		return 0, err
	}
	if e, err = a.Archive.Append(context.WithoutCancel(ctx), e); err != nil {
		return 0, fmt.Errorf("%w: writing the ledger: %w", bench.ErrRecorder, err)
	}
	return e.Seq, nil
}

// sentAttempt is the reservation of one attempt.
type sentAttempt struct {
	s  *sending
	h  *held
	t  bench.Ticket
	at int
}

// Pay implements [model.Reservation].
func (a *sentAttempt) Pay(u agent.Usage) {
	a.t.Pay(max(0, u.CostUSD))
	a.count(a.h.pay(u), false)
}

// Lose implements [model.Reservation].
func (a *sentAttempt) Lose() {
	a.h.lose()
	a.t.Abandon(0)
	a.count(a.h.use, true)
}

// Release implements [model.Reservation]. If the first attempt of a request is refused, it
// still counts as a request.
func (a *sentAttempt) Release() {
	a.t.Pay(0)
	if a.at > 0 {
		a.h.release()
		a.count(use{}, false)
		return
	}
	a.count(a.h.pay(agent.Usage{}), false)
}

func (a *sentAttempt) count(u use, lost bool) {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	x := &a.s.attempts[a.at]
	x.Calls, x.USD, x.Tokens, x.Lost = u.calls, u.usd, u.tokens, lost
}
