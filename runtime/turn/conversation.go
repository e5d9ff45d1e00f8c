package turn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/session"
	"evolve/runtime/tool"
)

// clean returns memories without credentials. Each memory is scrubbed as a whole, before
// parts of it are recalled.
func clean(scrub func(string) string, memories []agent.Memory) []agent.Memory {
	if scrub == nil {
		return memories
	}
	out := slices.Clone(memories)
	for i := range out {
		out[i].Text, out[i].Answer = scrub(out[i].Text), scrub(out[i].Answer)
	}
	return out
}

// remember builds the memory of the turn: the agent's snapshot with the facts of earlier
// turns and without the memories that those turns retracted. It also adds the notes of
// earlier turns.
func (r *run) remember() {
	earlier := r.session
	r.index = r.agent.memories.Extend(r.remembered(earlier.Facts)).Without(earlier.Retracted)
	r.env.Notes, _ = session.AddNotes(earlier.Notes)
}

// remembered returns the task's memories and a session's facts. It leaves out facts that
// a person has retracted for the agent, because a session may have learnt them before the
// retraction, and facts that the agent's memories now contain, because such facts are
// recalled from the memories.
func (r *run) remembered(facts []agent.Memory) []agent.Memory {
	return slices.Concat(r.given, slices.DeleteFunc(slices.Clone(facts), func(f agent.Memory) bool {
		return r.agent.settled[f.ID] || r.agent.settled[settledText(f)]
	}))
}

// settledText returns the key of a memory's text in [Agent.settled]. The key contains a
// line break, which no id does.
func settledText(m agent.Memory) string {
	return "\n" + strings.ToLower(strings.Join(strings.Fields(m.Text), " "))
}

// settle returns the ids and texts of the memories that facts of a session must not repeat.
func settle(memories []agent.Memory) map[string]bool {
	out := map[string]bool{}
	for _, m := range memories {
		if m.Retracted != "" || strings.HasPrefix(m.Source, session.Distilled) || strings.HasPrefix(m.Source, tool.AgentSource) {
			out[m.ID], out[settledText(m)] = true, true
		}
	}
	return out
}

// distill shortens a long conversation for a language model.
func (r *run) distill() {
	if !r.agent.language {
		return
	}
	files := 0
	for _, text := range r.agent.files {
		files += memory.Tokens(text)
	}
	beside := memory.Tokens(r.goal) + min(files, r.settings.bootstrap)
	for _, d := range r.settings.demonstrations {
		beside += memory.Tokens(d.Task) + memory.Tokens(d.Answer)
	}
	// The distilled facts are not assigned to a domain, because the domain of a
	// conversation may change.
	d := session.Distiller{Lexicon: r.agent.lex, Now: r.agent.clock(), Scrub: r.agent.scrub}
	thresholds := r.settings.distill
	if r.req.Live || r.req.Continues {
		thresholds.Tokens = least(thresholds.Tokens, session.MaxMessageTokens)
	}
	thresholds.Context, thresholds.Beside = r.window(), beside
	res, ok := d.Distill(r.turns, r.session, thresholds)
	if !ok {
		return
	}
	r.session = res.Apply(r.session)
	event := agent.Event{Kind: agent.EventDistill, Text: fmt.Sprintf(
		"%s: %d of %d messages were kept, with %d facts and a summary of %d tokens",
		res.Reason, len(res.Kept), len(r.turns), len(res.Facts), memory.Tokens(res.Summary))}
	if r.req.Live && len(res.Facts) > 0 { // otherwise a new or full session would lose the facts
		event.Data = encode(res.Facts)
	}
	r.event(event)
	r.turns = res.Kept
	r.remember()
}

// window returns the context size of the model that the turn's route leads to, in tokens.
func (r *run) window() int {
	route := r.route
	if route == "" && len(r.agent.routes) > 0 {
		route = r.agent.routes[0]
	}
	return cmp.Or(r.agent.windows[route], defaultWindow)
}

// chooseRoute chooses the route of the turn. Only the user's text can request a route.
func (r *run) chooseRoute() {
	if len(r.agent.routes) == 0 {
		return
	}
	route, why := session.Route(r.goal, r.settings.route, r.agent.routes)
	r.route = route
	r.event(agent.Event{Kind: agent.EventRoute, Name: cmp.Or(route, r.agent.routes[0]), Text: why})
}

// delegate suggests another agent if this agent is weak in the domain and the other agent
// is not. The turn continues in any case.
func (r *run) delegate() {
	if text, ok := r.suggest(r.domain); ok {
		r.advice = append(r.advice, text)
		r.event(agent.Event{Kind: agent.EventDelegate, Text: text})
	}
}

// suggest returns a suggestion to use an agent that is better suited to a domain.
func (r *run) suggest(domain string) (string, bool) {
	others := map[string]float64{}
	for name, e := range r.agent.others {
		others[name], _ = e.CompetenceIn(domain)
	}
	own, _ := r.agent.past.CompetenceIn(domain)
	return session.Suggest(own, others, r.settings.delegateBelow, r.settings.delegateAbove)
}

// shared returns the visible entries of the blackboard. In evaluations it returns none,
// because evaluations must be independent of each other.
func (r *run) shared() []model.Shared {
	if r.agent.board == nil || !r.req.Live {
		return nil
	}
	var out []model.Shared
	for _, e := range r.agent.board.Visible(r.agent.id) {
		out = append(out, model.Shared{From: e.From, Key: e.Key, Text: r.agent.scrub(e.Value)})
	}
	return out
}

// nextSession returns the session after the turn. An evaluation leaves none, except within
// its own conversation, because no evaluation may affect another.
func (r *run) nextSession(res agent.Result, reply model.Reply) agent.Session {
	if !r.req.Live && !r.req.Continues {
		return agent.Session{}
	}
	out := r.session
	scrub := r.agent.scrub // before anything is cut, because part of a credential is not recognised
	out.Notes = make([]string, len(r.env.Notes))
	for i, n := range r.env.Notes {
		out.Notes[i] = scrub(n)
	}
	t := session.Turn{
		Goal: scrub(r.goal), Outcome: res.Outcome, Why: res.Error, Value: scrub(reply.Value), Unsure: reply.Unsure, Calls: r.made,
	}
	if res.Answer != nil {
		t.Answer = *res.Answer
	}
	if r.goal != "" { // otherwise the turn failed before it had its messages
		out.Messages = session.Continue(r.turns, t.Goal, res.Answer)
	}
	out.Working = session.Working(t)
	return out
}
