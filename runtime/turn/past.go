package turn

import (
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/model"
)

// knownTokens limits the part of a prompt that describes experience with tools, in tokens.
const knownTokens = 600

// The usefulness that is assumed for a tool without history, in the domains that the tool
// declares and in other domains.
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

// use returns the description of a possible call to a tool in this turn.
func (r *run) use(name string) experience.Use {
	return experience.Use{Tool: name, Domain: r.domain, Goal: r.goal, Session: r.req.Conversation, Now: r.env.Now}
}

// weigh applies people's feedback to the score of a tool or, if there is no feedback,
// learned avoidance. It returns the resulting score, with the reason if the score
// changed. Learned avoidance does not move a tool below the cutoff if the tool would
// reach the cutoff without history, because a tool that is never called could not
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

// weighRank returns the rank of a tool for a language model. It multiplies the given rank
// by the ratio of the tool's usefulness to its usefulness without history, and by the
// factor that feedback or learned avoidance sets. The result has no upper limit.
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

// reasons returns a description of effects on a score.
func reasons(effects []experience.Effect) string {
	parts := make([]string, len(effects))
	for i, x := range effects {
		parts[i] = x.String()
	}
	return strings.Join(parts, ", ")
}

// barTools finds the tools that people's feedback bars in a turn such as this one, and
// activates their replacements.
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

// withheld returns the reason why calls to a tool are denied for now, or "".
func (r *run) withheld(name string) string {
	if why := r.barred[name]; why != "" {
		return why
	}
	if why := r.registry.Withheld(name); why != "" {
		return why
	}
	return r.registry.Beyond(name, r.level)
}

// knowTools sets the part of a language model's prompt that describes experience with the
// active tools.
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
