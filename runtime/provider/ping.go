package provider

import (
	"context"
	"strings"
	"time"

	"evolve/runtime/agent"
)

// Pong is the result of [Ping].
type Pong struct {
	Provider, Model string
	Latency         time.Duration
	Usage           agent.Usage
}

// Ping makes one call with at most 5 output tokens, without policies, to check the address,
// key and model. now is the clock for the latency; if it is nil, the latency is 0. The
// error is a *Fault, whose Trouble is the kind of failure.
func Ping(ctx context.Context, e Endpoint, model string, now func() time.Time) (Pong, error) {
	p := Pong{Provider: e.Name, Model: model}
	e, err := e.check()
	if err != nil {
		return p, &Fault{Provider: e.Name, Trouble: Rejected, Text: err.Error()}
	}
	c := newClient(e, scrubber([]string{e.Key}, nil))
	if e.HTTP == nil {
		defer c.close()
	}
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	chat := Chat{Messages: []Message{{Role: User, Text: "Say ok."}}}
	began := now()
	a, err := c.ask(ctx, question{chat: &chat, model: model, maxTokens: 5})
	p.Latency = now().Sub(began)
	if err != nil {
		// Some reasoning models refuse because 5 tokens are too few. They are nevertheless
		// available.
		if strings.Contains(err.Error(), "model output limit was reached") {
			return p, nil
		}
		return p, err
	}
	p.Usage = agent.Usage{InputTokens: a.usage.input, OutputTokens: a.usage.output, CachedTokens: a.usage.cached}
	return p, nil
}
