package reflection

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// Reflector requests changes from the model of one route. It is safe for concurrent use if
// its model is.
type Reflector struct {
	Model model.Model
	// Route is the route hint for the model.
	Route string
	// Timeout is the maximum time of a request; 0 means that only the policies limit it. A
	// deadline that the operator sets in the policies applies in either case.
	Timeout time.Duration
}

// Reply is the result of a request.
type Reply struct {
	// Draft is nil if the model had no change or its answer was refused. Reason then gives
	// the reason, in one line of bounded length that may quote the answer.
	Draft  *mutate.Draft
	Reason string
	// Outcome is the outcome of a request that was not answered.
	Outcome agent.Outcome
	Usage   agent.Usage
	// Unreadable reports whether the answer is neither a JSON object of the requested form
	// nor a part of such an object. Unbound reports whether the provider did not apply a
	// schema to the answer.
	Unreadable, Unbound bool
	// Asked is the number of the request's record; it is 0 if the request was not sent. Cut
	// reports whether the request was cut off, in which case its usage is unknown. Full
	// reports whether the request was not sent because a bound on requests had ended the
	// requests to its route.
	Asked     int64
	Cut, Full bool
	// Attempts holds the amounts that are counted for each attempt at the request. It is
	// nil if there was only one attempt, whose amount is Usage.
	Attempts []Attempt
	// InUse reports whether the request contained the material's feedback or corrections.
	InUse bool
}

// Attempt holds the amounts that are counted for one attempt at a request.
type Attempt struct {
	// Asked is the number of the attempt's record.
	Asked int64 `json:"asked"`
	// Calls is 1, or 0 if the provider temporarily refused the attempt. Tokens and USD are
	// the attempt's usage; if the answer was lost, so that the usage is unknown, at least
	// the attempt's upper bound is charged.
	Calls  int     `json:"calls,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Lost reports whether the answer did not arrive, in which case its usage is unknown.
	Lost bool `json:"lost,omitempty"`
}

// Request returns the request for one change to the material's component, in the form in
// which [Reflector.Draft] sends it.
func (m Material) Request(route string, seed int64) *model.Request {
	if m.writesCode() {
		return m.codeRequest(route, seed)
	}
	return m.request(route, seed)
}

// Draft requests one change to the material's component. An error is the context's error or
// an infrastructure failure; it does not depend on the material. The same material and seed
// give the same request.
func (r Reflector) Draft(ctx context.Context, m Material, seed int64) (Reply, error) {
	p, ok := m.Space.Lookup(m.Component)
	if _, active := m.Config[m.Component]; !ok || !active || !changeable(p) {
		return Reply{Reason: fmt.Sprintf("there is nothing to change in %q", m.Component)}, nil
	}
	req, within := m.Request(r.Route, seed), ctx
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(policy.WithDeadline(ctx, r.Timeout), r.Timeout)
		defer cancel()
	}
	answer, none, err := model.Ask(within, r.Model, req)
	out := Reply{Usage: answer.Usage, Reason: none, Unbound: answer.Unbound, InUse: inUse(req)}
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		out.Cut = true
		out.Reason, out.Outcome = fmt.Sprintf("no answer within %s", r.Timeout.Round(time.Second)), agent.Timeout
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("asking the model for a change: %w", err)
	}
	cut := answer.Stop == model.StopLength
	if none != "" && !cut {
		return out, nil
	}
	draft, wrong := m.draft(answer.Answer, cut)
	if wrong != nil {
		out.Reason = memory.Line("the answer "+wrong.Error(), maxRationale)
		out.Unreadable = errors.As(wrong, new(unreadableError))
		return out, nil
	}
	out.Draft, out.Reason = &draft, ""
	return out, nil
}

// errCut is the reason for refusing an answer whose value was cut off.
var errCut = errors.New("was cut off")

// draft makes a draft from an answer in the requested form, or from the complete part of
// an answer that was cut off.
func (m Material) draft(answer string, cut bool) (mutate.Draft, error) {
	if m.writesCode() {
		return m.judgeCode(answer, cut)
	}
	if !m.Plain {
		p, err := read(answer, cut)
		if err != nil {
			return mutate.Draft{}, unreadableError{err}
		}
		return m.judge(p)
	}
	if at := strings.LastIndexByte(answer, '\n'); cut && at < 0 {
		return mutate.Draft{}, errCut
	} else if cut {
		answer = answer[:at]
	}
	return m.judgePlain(answer)
}
