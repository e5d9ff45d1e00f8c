package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// planKey holds everything that a plan depends on.
type planKey struct {
	targetKey
	agent string
}

// plan holds the resolved settings of a call and the policies that enforce them.
type plan struct {
	target   *target
	settings Settings
	values   []Value // shared: never written to
	paces    []*pace // the shared pace is last, because its slot must be used at once, not after another wait
	breaker  *breaker
	// preset reports whether the deadline is the built-in one.
	preset bool
}

// plan returns the plan of a call.
func (e *Engine) plan(c Call) (*plan, error) {
	if err := admissible(c); err != nil {
		return nil, err
	}
	if c.Kind != Tool {
		c.Origin = ""
	}
	key := planKey{targetKey{c.Kind, c.Name, c.Origin}, c.Agent}
	if p, ok := e.plans.Load(key); ok {
		return p.(*plan), nil
	}
	p, err := e.newPlan(key)
	if err == nil && e.planned.Add(1) <= maxPlans {
		e.plans.Store(key, p)
	}
	return p, err
}

// admissible returns an error for an invalid call. A call with an unknown kind or origin
// must not run without limits.
func admissible(c Call) error {
	switch {
	case c.Kind != Tool && c.Kind != Provider && c.Kind != Agent:
		return fmt.Errorf("policy: unknown kind of call %q", c.Kind)
	case c.Name == "":
		return fmt.Errorf("policy: the %s has no name", c.Kind)
	case c.Kind == Tool && !knownOrigin(c.Origin):
		return fmt.Errorf("policy: tool %s has the unknown origin %q", c.Name, c.Origin)
	case c.Estimate.Tokens < 0 || c.Estimate.Tokens > maxEstimate || !(c.Estimate.USD >= 0 && c.Estimate.USD <= maxUSD/1000):
		return fmt.Errorf("policy: an estimate of %d tokens and %v USD is not valid", c.Estimate.Tokens, c.Estimate.USD)
	}
	return nil
}

// maxEstimate is the maximum number of tokens in an estimate, so that the sum of
// reservations does not overflow.
const maxEstimate = 1 << 40

// newPlan creates the plan of a call from its layers.
func (e *Engine) newPlan(key planKey) (*plan, error) {
	r := e.book.resolve(e.fields, key.kind, key.name, key.origin, key.agent)
	s := r.settings
	if err := coherent(&s); err != nil {
		return nil, fmt.Errorf("policy: %s %s called by %q: %w", key.kind, key.name, key.agent, err)
	}
	t, err := e.target(key.targetKey)
	if err != nil {
		return nil, err
	}
	p := &plan{target: t, settings: s, values: r.values()}
	p.preset = slices.ContainsFunc(p.values, func(v Value) bool { return v.Setting == "deadline" && v.Origin == "built in" })

	// The limiter and the breaker belong to the target. A role that sets another rate has
	// its own limiter, and also uses the target's limiter unless its own is looser.
	shared := e.book.resolve(e.fields, key.kind, key.name, key.origin, "").settings
	owner := ""
	if s.interval() != shared.interval() {
		owner = owned(key.agent)
	}
	p.addPace(owner, s)
	if s.interval() > shared.interval() {
		p.addPace("", shared)
	}
	p.breaker = t.breaker(s)
	return p, nil
}

// owned returns the owner of a limiter that only one agent uses. The result is never empty,
// because the empty owner is the target itself.
func owned(agent string) string { return "agent " + agent }

func (p *plan) addPace(owner string, s Settings) {
	if pc := p.target.pace(owner, s); pc != nil {
		p.paces = append(p.paces, pc)
	}
}

// permits returns the number of running attempts at which further calls must wait.
func (p *plan) permits() int {
	if p.settings.Concurrency == 0 {
		return math.MaxInt
	}
	return p.settings.Concurrency
}

// target returns the state of a tool or provider, and creates it at the first call.
func (e *Engine) target(key targetKey) (*target, error) {
	shared := e.book.resolve(e.fields, key.kind, key.name, key.origin, "").settings
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.targets[key]; t != nil {
		return t, nil
	}
	if len(e.targets) >= maxTargets {
		return nil, errCrowded
	}
	// Budgets belong to the name of a tool or provider, regardless of the origin.
	owner := targetKey{kind: key.kind, name: key.name}
	if e.spendings[owner] == nil {
		e.spendings[owner] = newSpending(time.Now())
	}
	t := &target{key: key, spending: e.spendings[owner], meter: newMeter(), cap: shared.Concurrency}
	if key.kind == Tool && strings.HasPrefix(key.origin, mcp+":") {
		if all := e.book.resolve(e.fields, Tool, "", key.origin, "").settings; all.Concurrency > 0 {
			if e.servers[key.origin] == nil {
				e.servers[key.origin] = &queue{}
			}
			t.server, t.serverCap = e.servers[key.origin], all.Concurrency
		}
	}
	if coherent(&shared) == nil {
		t.health = t.breaker(shared)
	}
	e.targets[key] = t
	return t, nil
}
