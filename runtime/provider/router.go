package provider

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/scrub"
	"evolve/runtime/telemetry"
)

// Guard applies the policies to a call. [policy.Engine] implements it.
type Guard interface {
	Do(ctx context.Context, c policy.Call, run func(ctx context.Context, attempt int) (policy.Spent, error)) (policy.Applied, error)
}

// unguarded makes one attempt without policies.
type unguarded struct{}

func (unguarded) Do(ctx context.Context, _ policy.Call, run func(context.Context, int) (policy.Spent, error)) (policy.Applied, error) {
	_, err := run(ctx, 1)
	return policy.Applied{Attempts: 1}, err
}

// Options make a Router.
type Options struct {
	Endpoints []Endpoint
	Routes    []Route
	// Default is the name of the route for requests that name no route or an unknown one.
	Default string
	// Prices maps "provider/model" or, as a fallback, the model alone to a price.
	Prices map[string]Price
	// Guard makes every call; nil means one attempt without limits. If an exhausted budget
	// degrades a call to another provider, the first route to that provider is used.
	Guard Guard
	// Agent is the agent on whose behalf the calls are made.
	Agent string
	// Scrub removes credentials from requests and replies. The endpoints' API keys, and
	// text that looks like a credential, are removed even if Scrub is nil.
	Scrub func(string) string
}

// Router presents the language models of a workspace as one [model.Model]: it chooses the
// provider and model by the request's route, renders the request, and makes the call under
// the policies. It is safe for concurrent use.
type Router struct {
	providers map[string]*provider
	routes    routes
	prices    map[string]Price
	guard     Guard
	agent     string
	scrub     func(string) string
}

// provider is an endpoint with its client.
type provider struct {
	name   string
	client client
	// refusing is the address on this machine that refused the latest exchange, or "" if
	// that exchange had another result. An open breaker makes no exchange.
	refusing atomic.Pointer[string]
}

// note stores the result of an exchange; f is nil if there was a reply.
func (p *provider) note(f *Fault) {
	address := ""
	if f != nil {
		address = f.Refusing
	}
	p.refusing.Store(&address)
}

// gone returns the address on this machine whose refusal to connect led to err: either
// the refusal itself, or a breaker that opened because of it. If err has another cause,
// gone returns "".
func (p *provider) gone(err error) string {
	var f *Fault
	address := p.refusing.Load()
	switch {
	case address == nil:
	case errors.As(err, &f) && f.Refusing == *address, f == nil && errors.As(err, new(*policy.CircuitOpenError)):
		return *address
	}
	return ""
}

// NewRouter returns a router, or an error that names the provider or route that is invalid.
func NewRouter(o Options) (*Router, error) {
	r := &Router{
		providers: map[string]*provider{}, prices: o.Prices, guard: o.Guard, agent: o.Agent,
	}
	var keys []string
	for _, e := range o.Endpoints {
		keys = append(keys, e.Key)
	}
	r.scrub = scrubber(keys, o.Scrub)
	if r.guard == nil {
		r.guard = unguarded{}
	}
	for _, e := range o.Endpoints {
		e, err := e.check()
		if err != nil {
			return nil, err
		}
		if r.providers[e.Name] != nil {
			return nil, fmt.Errorf("provider %s is listed twice", e.Name)
		}
		r.providers[e.Name] = &provider{name: e.Name, client: newClient(e, r.scrub)}
	}
	var err error
	r.routes, err = newRoutes(o.Routes, o.Default, r.providers)
	return r, err
}

// scrubber returns a function that first applies more to a text, unless more is nil, and
// then removes the given secrets and text that looks like a secret.
func scrubber(secrets []string, more func(string) string) func(string) string {
	own := scrub.New(secrets).String
	if more == nil {
		return own
	}
	return func(text string) string { return own(more(text)) }
}

// Close closes idle connections. Running calls are not affected; their contexts end them.
func (r *Router) Close() {
	for _, p := range r.providers {
		p.client.close()
	}
}

// Next sends the request to the model on the request's route. The error is the context's
// error or a *model.Error: budget_exceeded if a budget or the model's context is too small,
// rate_limited if a limit on calls was reached, and infrastructure otherwise. With an
// error, the reply still names the provider and the policies.
func (r *Router) Next(ctx context.Context, req *model.Request) (model.Reply, error) {
	chat := Render(req).scrubbed(r.scrub)
	route, unknown := r.routes.find(req.Sampling.Route)
	var before model.Reply
	if unknown {
		before.Notes = append(before.Notes, fmt.Sprintf("there is no route %q; the default route was used", req.Sampling.Route))
	}
	asked := map[string]bool{}
	for {
		asked[route.Provider] = true
		reply, err := r.call(ctx, &chat, req, route)
		reply.Notes = append(before.Notes, reply.Notes...)
		reply.Applied = append(before.Applied, reply.Applied...)
		var spent *policy.BudgetError
		if !errors.As(err, &spent) || spent.DegradedTo == "" || ctx.Err() != nil {
			return reply, r.providers[route.Provider].final(ctx, err)
		}
		next, ok := r.routes.of(spent.DegradedTo)
		if !ok || asked[next.Provider] {
			return reply, r.providers[route.Provider].final(ctx, err)
		}
		before.Applied = reply.Applied
		before.Notes = append(reply.Notes, fmt.Sprintf("the budget of %s is spent; %s was asked instead", route.Provider, next.Provider))
		route = next
	}
}

// call sends the chat to one provider under the policies, within a tracing span.
func (r *Router) call(ctx context.Context, chat *Chat, req *model.Request, route Route) (model.Reply, error) {
	ctx, span := telemetry.StartClient(ctx, telemetry.OperationChat)
	if !span.On() {
		return r.ask(ctx, chat, req, route)
	}
	defer span.End()
	span.Name(telemetry.OperationChat + " " + route.Model)
	span.Text(telemetry.Operation, telemetry.OperationChat)
	span.Text(telemetry.Provider, route.Provider)
	span.Text(telemetry.RequestModel, route.Model)
	reply, err := r.ask(ctx, chat, req, route)
	span.Usage(reply.Usage.InputTokens, reply.Usage.OutputTokens, reply.Usage.CachedTokens, reply.Usage.CostUSD)
	for _, a := range reply.Applied {
		span.Int(telemetry.Attempts, int64(a.Attempts))
		span.Float(telemetry.Waited, a.Waited.Seconds())
	}
	if err != nil {
		span.Fail(string(policy.OutcomeOf(err)))
	}
	return reply, err
}

// ask sends the chat to one provider under the policies.
func (r *Router) ask(ctx context.Context, chat *Chat, req *model.Request, route Route) (model.Reply, error) {
	p, seed := r.providers[route.Provider], req.Sampling.Seed
	q := question{chat: chat, model: route.Model, temperature: route.Temperature, seed: &seed, maxTokens: answerTokens(route, req), schema: req.Schema}
	if req.Sampling.Temperature != nil {
		q.temperature = req.Sampling.Temperature
	}
	price, priced := r.price(route)
	guess := usage{input: int64(chat.size()+3) / 4}
	call := policy.Call{
		Kind: policy.Provider, Name: p.name, Agent: r.agent, ID: identity(chat, route), Seed: seed, Repeatable: true,
		Estimate: spent(price, usage{input: guess.input, output: int64(min(q.maxTokens, probable))}),
	}
	most := r.mostOf(req, route)
	var a answer // read only if Do returned nil
	applied, err := r.guard.Do(ctx, call, func(ctx context.Context, _ int) (policy.Spent, error) {
		attempt, err := model.BeginAttempt(ctx, most)
		if err != nil {
			return policy.Spent{}, err
		}
		got, err := p.client.ask(ctx, q)
		var f *Fault
		known := errors.As(err, &f)
		if p.note(f); known {
			if f.charged() {
				attempt.Lose()
			} else {
				attempt.Release()
			}
			if f.unanswered() {
				return spent(price, guess), f.error()
			}
			return policy.Spent{}, f.error()
		}
		if got.usage.input+got.usage.output == 0 {
			got.usage = usage{input: guess.input, output: int64(len(got.text)+3) / 4}
			got.notes = append(got.notes, "the provider reports no usage, so the usage is estimated")
		}
		attempt.Pay(price.usage(got.usage))
		a = got
		return spent(price, got.usage), nil
	})
	reply := model.Reply{}
	if err == nil {
		reply = read(chat, a, r.scrub)
		reply.Notes, reply.Untempered = append(a.notes, reply.Notes...), a.untempered
		reply.Unbound = q.schema != nil && !a.bound
		if !priced {
			reply.Notes = append(reply.Notes, "no price for "+route.Model)
		}
		reply.Usage = price.usage(a.usage)
	}
	reply.Provider, reply.Model, reply.Applied = p.name, route.Model, []policy.Applied{applied}
	return reply, err
}

// probable is the expected maximum length of a reply, in tokens.
const probable = 1024

func (r *Router) price(route Route) (Price, bool) {
	p, ok := r.prices[route.Provider+"/"+route.Model]
	if !ok {
		p, ok = r.prices[route.Model]
	}
	return p, ok
}

func spent(p Price, u usage) policy.Spent {
	return policy.Spent{Tokens: u.input + u.output, USD: p.cost(u)}
}

// identity returns an id that depends only on the chat and the route, so it is the same in
// every run.
func identity(chat *Chat, route Route) string {
	sum := sha256.Sum256(encode([]any{route.Provider, route.Model, chat}))
	return fmt.Sprintf("%x", sum[:8])
}

// final converts the error of a call into the error that the turn gets.
func (p *provider) final(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("asking a model: %w", ctx.Err())
	}
	var known *model.Error
	if errors.As(err, &known) {
		return known
	}
	var budget *policy.BudgetError
	if errors.As(err, &budget) {
		return &model.Error{Outcome: agent.BudgetExceeded, Err: err}
	}
	if policy.RateLimited(err) {
		return &model.Error{Outcome: agent.RateLimited, Err: err}
	}
	return &model.Error{Outcome: agent.Infrastructure, Err: err, Refusing: p.gone(err)}
}
