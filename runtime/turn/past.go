package turn

import (
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/model"
)

// knownTokens bounds the part of a prompt about experience with tools, in tokens.
const knownTokens = 600

// The usefulness of a tool without history: in the domains that it declares, and elsewhere.
const (
	declaredUse = .8
	plainUse    = .5
)

// prior returns the usefulness of a tool that was never called.
func (r *run) prior(name string) float64 {
	if spec, ok := r.registry.Spec(name); ok && slices.Contains(spec.Domains, r.domain) {
		return declaredUse
	}
	return plainUse
}

// usefulness returns the usefulness of a call's tool and method in the turn's domain.
func (r *run) usefulness(c model.Call) float64 {
	if len(r.agent.past.Capsules) == 0 {
		return r.prior(c.Tool)
	}
	spec, _ := r.registry.Spec(c.Tool)
	return r.agent.past.History(c.Tool, spec.Method(c.Arguments), r.domain).Usefulness(r.prior(c.Tool))
}

// use is a possible call of a tool in the turn.
func (r *run) use(name string) experience.Use {
	return experience.Use{Tool: name, Domain: r.domain, Goal: r.goal, Session: r.req.Conversation, Now: r.env.Now}
}

// weigh returns the score of a tool after people's feedback or, without any, after learned
// avoidance, with the reason for a change. Learned avoidance does not move a tool below the
// cutoff that it would reach without history, because a tool that is never called could not
// recover.
func (r *run) weigh(name string, score, unlearned, useful float64) (weighed float64, why string) {
	weighed, effects := r.agent.past.Weigh(r.use(name), score, useful)
	if len(effects) == 0 {
		weighed = score // Weigh bounds the score
	}
	why = reasons(effects)
	learned := len(effects) == 0 || effects[0].Feedback == ""
	if cutoff := r.settings.choice.Cutoff; learned && weighed < cutoff && unlearned >= cutoff {
		return cutoff, strings.TrimPrefix(why+", kept at the cutoff", ", ")
	}
	return weighed, why
}

// weighRank returns the rank of a tool for a language model. The rank has no bound. It is
// multiplied by the tool's usefulness in relation to that without history.
func (r *run) weighRank(name string, rank float64) (weighed float64, why string) {
	prior := r.prior(name)
	useful := r.agent.past.Pooled(name, r.domain).Usefulness(prior)
	_, effects := r.agent.past.Weigh(r.use(name), 0, useful)
	if weighed = rank; useful != prior {
		weighed, why = rank*useful/prior, fmt.Sprintf("performance %.2f, ", useful)
	}
	if len(effects) > 0 {
		weighed *= effects[0].Factor
	}
	return weighed, strings.TrimSuffix(why+reasons(effects), ", ")
}

// reasons describes effects on a score.
func reasons(effects []experience.Effect) string {
	parts := make([]string, len(effects))
	for i, x := range effects {
		parts[i] = x.String()
	}
	return strings.Join(parts, ", ")
}

// barTools finds the tools that people's feedback bars in such a turn, and activates their
// replacements.
func (r *run) barTools() {
	r.barred, r.instead = map[string]string{}, map[string]string{}
	var told []string
	for _, name := range r.registry.Names() {
		_, effects := r.agent.past.Weigh(r.use(name), 0, plainUse)
		if len(effects) == 0 || effects[0].Factor != 0 {
			continue
		}
		r.barred[name] = experience.BarredCause(name, effects[0])
		told = append(told, fmt.Sprintf("%s (%s)", name, reasons(effects)))
		if with := effects[0].With; with != "" {
			r.instead[name] = with
		}
	}
	for _, with := range r.instead {
		_, known := r.registry.Spec(with)
		if _, active := r.active[with]; known && !active && r.withheld(with) == "" {
			r.active[with] = -1
		}
	}
	if len(told) > 0 {
		r.event(agent.Event{Kind: agent.EventTools, Name: "barred", Text: strings.Join(told, ", ")})
	}
}

// withheld returns the reason why calls of a tool are denied for now, or "".
func (r *run) withheld(name string) string {
	if why := r.barred[name]; why != "" {
		return why
	}
	if why := r.registry.Withheld(name); why != "" {
		return why
	}
	return r.registry.Beyond(name, r.level)
}

// knowTools describes the active tools to a language model.
func (r *run) knowTools() {
	if !r.agent.language {
		return
	}
	var names []string
	for name := range r.active {
		if r.withheld(name) == "" {
			names = append(names, name)
		}
	}
	r.known = r.agent.past.KnownTools(names, r.domain, knownTokens)
}
