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

// Reflector requests changes from the model of one route. It is safe for concurrent use
// when its model is.
type Reflector struct {
	Model model.Model
	// Route is the route hint for the model.
	Route string
	// Timeout bounds a request; 0: by the policies alone. They bound it too where the
	// operator sets a deadline.
	Timeout time.Duration
}

// Reply is the result of a request.
type Reply struct {
	// Draft is nil when the model had no change or its answer was refused; Reason is then
	// the reason, a line of bounded length that may quote the answer.
	Draft  *mutate.Draft
	Reason string
	// Outcome is that of a request without an answer.
	Outcome agent.Outcome
	Usage   agent.Usage
	// Unreadable reports whether the answer is not a JSON object of the requested form,
	// nor a part of one, and Unbound whether the provider applied no schema to it.
	Unreadable, Unbound bool
	// Asked is the number of the record of the request; 0 where it was not sent. Cut reports
	// whether the request was cut off, so that its usage is unknown, and Full whether it was
	// not sent because a bound on requests ended those to its route.
	Asked     int64
	Cut, Full bool
	// Attempts are the amounts that the attempts of the request count as; nil if there was
	// one, which counts as Usage.
	Attempts []Attempt
	// InUse reports whether the request contained the material's feedback or corrections.
	InUse bool
}

// Attempt is the amount that one attempt of a request counts as.
type Attempt struct {
	// Asked is the number of its record.
	Asked int64 `json:"asked"`
	// Calls is 1 unless the provider refused it for now; Tokens and USD are its usage, and at
	// least its bound if it was lost.
	Calls  int     `json:"calls,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	// Lost reports whether the answer did not arrive, so that its usage is unknown.
	Lost bool `json:"lost,omitempty"`
}

// Request returns the request for one change of the material's component, as [Reflector.Draft]
// sends it.
func (m Material) Request(route string, seed int64) *model.Request {
	if m.writesCode() {
		return m.codeRequest(route, seed)
	}
	return m.request(route, seed)
}

// Draft requests one change of the material's component. An error is the context's or an
// infrastructure failure, and does not depend on the material. The same material and seed
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
		out.Reason, out.Outcome = fmt.Sprintf("no answer in %s", r.Timeout.Round(time.Second)), agent.Timeout
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("asking for a change: %w", err)
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

// errCut is the reason for the refusal of an answer whose value was cut off.
var errCut = errors.New("was cut off")

// draft converts an answer in the requested form, as far as it is whole.
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
