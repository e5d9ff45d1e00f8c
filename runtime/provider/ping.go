package provider

import (
	"context"
	"strings"
	"time"

	"evolve/runtime/agent"
)

// Pong is what a provider answered to the cheapest question there is.
type Pong struct {
	Provider, Model string
	Latency         time.Duration
	Usage           agent.Usage
}

// Ping makes one call of at most 5 tokens, without policies, to see that address, key
// and model are right. Now is the clock that measures it; nil leaves the latency 0.
// The error is a *Fault, whose Trouble says what to look at.
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
		// Some models refuse where they have no room to think. They are there.
		if strings.Contains(err.Error(), "model output limit was reached") {
			return p, nil
		}
		return p, err
	}
	p.Usage = agent.Usage{InputTokens: a.usage.input, OutputTokens: a.usage.output, CachedTokens: a.usage.cached}
	return p, nil
}
