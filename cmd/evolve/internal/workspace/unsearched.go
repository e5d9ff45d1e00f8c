package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// Unsearched is a parameter whose value in the champion is not changed by a search.
type Unsearched struct {
	Param string `json:"param"`
	// Why is the reason, in words that follow "not searched:".
	Why string `json:"why"`
	// Named reports whether the parameter is named under space in the agent.yaml of a
	// built-in agent, which requests that it be searched.
	Named bool `json:"named,omitempty"`
	// idle reports whether the parameter has several values, none of which has any effect.
	idle bool
}

// Searched lists the parameters that have more than one value in the searched space.
func (a *Agent) Searched() []string {
	names := []string{}
	for _, p := range a.Space.Params {
		if !oneValue(p) && a.NotSearched(p.Name) == "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// NotSearched returns the reason why a parameter is not searched, or "" if it is.
func (a *Agent) NotSearched(param string) string {
	for _, u := range a.Unsearched {
		if u.Param == param {
			return u.Why
		}
	}
	return ""
}

// LeftAlone describes all parameters that are not searched, grouped by reason. It returns
// "" if there are none.
func (a *Agent) LeftAlone() string {
	var reasons []string
	params := map[string][]string{}
	for _, u := range a.Unsearched {
		if params[u.Why] == nil {
			reasons = append(reasons, u.Why)
		}
		params[u.Why] = append(params[u.Why], u.Param)
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(params[why], ", ") + " (" + why + ")"
	}
	return strings.Join(reasons, "; ")
}

// NamedInVain lists the parameters that are not searched because they have no effect,
// although agent.yaml names them under space.
func (a *Agent) NamedInVain() string {
	var names []string
	for _, u := range a.Unsearched {
		if u.Named && u.idle {
			names = append(names, u.Param)
		}
	}
	return strings.Join(names, ", ")
}

// Read converts an archived config to a config of this agent's space. Parameters without
// effect get the champion's value, which does not change the agent's behaviour.
func (a *Agent) Read(raw agent.Config) (agent.Config, []agent.Problem) {
	c, problems := a.Known.Parse(raw)
	if len(problems) > 0 {
		return nil, problems
	}
	for _, u := range a.Unsearched {
		if v, ok := a.Champion[u.Param]; ok && u.idle {
			c[u.Param] = v
		}
	}
	return a.Space.Parse(c)
}

// LeaveOut excludes from the search a parameter that was found to have no effect, and
// records why, in words that follow "not searched:". It does nothing if the parameter is
// not searched.
func (a *Agent) LeaveOut(param, why string) {
	p, ok := a.Space.Lookup(param)
	if _, set := a.Champion[param]; !ok || !set || oneValue(p) || a.NotSearched(param) != "" {
		return
	}
	a.Unsearched = append(slices.Clip(a.Unsearched), Unsearched{Param: param, Why: why, idle: true})
	a.Space = fix(a.Known, a.acting(), a.Champion)
}

// acting lists the parameters of the known space that are not idle.
func (a *Agent) acting() []string {
	return slices.DeleteFunc(a.Known.Names(), func(name string) bool {
		return slices.ContainsFunc(a.Unsearched, func(u Unsearched) bool { return u.idle && u.Param == name })
	})
}

// unsearched returns those of the requested parameters that a built-in agent's search
// leaves out. asked names the requested parameters; nil means all.
func (l *loader) unsearched(a *Agent, asked []string) []Unsearched {
	idle := map[string]string{}
	if l.builtins.Idle != nil {
		idle = l.builtins.Idle(a.Known, a, l.modelsOf(a), l.tasksOf(a))
	}
	var out []Unsearched
	for _, p := range a.Known.Params {
		if asked != nil && !slices.Contains(asked, p.Name) {
			continue // a person fixed it
		}
		u := Unsearched{Param: p.Name, Named: asked != nil}
		switch why, isIdle := idle[p.Name]; {
		case oneValue(p):
			u.Why = "has only one value"
		case isIdle:
			u.Why, u.idle = why, true
		case p.Kind == agent.Text && p.Use == agent.Instruction && len(p.Lines) == 0 && len(l.set.Search.Reflect.Routes) == 0:
			u.Why = "search.reflect in evolve.yaml names no route to a model that could rewrite the text"
		default:
			continue
		}
		out = append(out, u)
	}
	return out
}

// tasksOf returns the tasks of an agent's suites, search and holdout, in the form in which
// the agent gets them.
func (l *loader) tasksOf(a *Agent) []agent.Task {
	var out []agent.Task
	for _, name := range a.Suites {
		if s := l.suites[name]; s != nil {
			for i := range s.Tasks {
				out = append(out, s.Tasks[i].AgentTasks()...)
			}
		}
	}
	return out
}

// withoutDead returns a declared space without the parameters that are never active, and a
// list of these parameters and of those with a single value.
func withoutDead(known agent.Space) (agent.Space, []Unsearched) {
	var space agent.Space
	var out []Unsearched
	for _, p := range known.Params {
		if on, dead := neverActive(known, p); dead {
			out = append(out, Unsearched{Param: p.Name, Why: fmt.Sprintf("is never active: no value of %q meets its conditions", on)})
			continue
		}
		if oneValue(p) {
			out = append(out, Unsearched{Param: p.Name, Why: "has only one value"})
		}
		space.Params = append(space.Params, p)
	}
	return space, out
}

// neverActive reports whether no config can meet p's conditions together with the
// conditions of the parameters that p depends on. All of these must hold at once, so p is
// never active if some parameter has no possible value left; the result on is the name of
// that parameter.
func neverActive(space agent.Space, p agent.Param) (on string, dead bool) {
	left := map[string][]any{}
	var walk func(agent.Param) bool
	walk = func(p agent.Param) bool {
		for _, other := range slices.Sorted(maps.Keys(p.When)) {
			q, _ := space.Lookup(other)
			values := slices.DeleteFunc(slices.Clone(p.When[other]), func(v any) bool { return !mayBe(q, v) })
			if before, met := left[other]; met {
				values = slices.DeleteFunc(values, func(v any) bool {
					return !slices.ContainsFunc(before, func(w any) bool { return same(q, v, w) })
				})
			}
			left[other] = values
			if on = other; len(values) == 0 || walk(q) {
				return true
			}
		}
		return false
	}
	dead = walk(p)
	return on, dead
}

// mayBe reports whether v is a valid value of q. For a text, values that are allowed only
// as a default are valid too.
func mayBe(q agent.Param, v any) bool {
	_, err := q.Coerce(v)
	return err == nil
}

// same reports whether v and w are the same value of q.
func same(q agent.Param, v, w any) bool {
	x, errX := q.Coerce(v)
	y, errY := q.Coerce(w)
	return errX == nil && errY == nil && agent.Config{q.Name: x}.Equal(agent.Config{q.Name: y})
}

// oneValue reports whether the declared range holds a single value.
func oneValue(p agent.Param) bool {
	switch p.Kind {
	case agent.Float, agent.Int:
		return p.Min == p.Max
	case agent.Choice:
		return len(p.Values) == 1
	case agent.Subset:
		return p.MinItems >= len(p.Of)
	}
	return false
}
