package population

import (
	"cmp"
	"math"
	"slices"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// reflectOperator is the operator of the variants that a language model wrote.
const reflectOperator = "reflect"

// authoring is the state of the requests to language models.
type authoring struct {
	*mutate.Author // nil: there are none
	requests       *mutate.Requests
	// wanted reports whether the operators' bandit chose a model.
	wanted bool
	open   int // briefs asked for and not yet answered
	// refused is the number of successive drafts, up to the latest, that did not become
	// variants.
	refused int
	drafts  []mutate.PastDraft // the oldest first

	block, form, route, wording *operator.Arms
}

const (
	// mostRefused is the number of successive refused drafts after which a search that has
	// nothing else to do ends.
	mostRefused = 20
	// worstShown, bestShown, triedShown and othersShown are the maximum numbers of worst
	// cases, best cases, earlier changes and other variants in a brief.
	worstShown  = 3
	bestShown   = 2
	triedShown  = 8
	othersShown = 3
	// draftsKept is the maximum number of drafts remembered from earlier nights.
	draftsKept = 200
)

func newAuthoring(o *mutate.Author) authoring {
	a := authoring{Author: o, block: operator.NewArms(), form: operator.NewArms(), route: operator.NewArms(), wording: operator.NewArms()}
	if o != nil {
		a.requests = mutate.NewRequests(o)
	}
	return a
}

// recall adds the drafts of earlier nights to the search's drafts. If this run was resumed
// without a replay, it also adds the drafts that the run made before it was resumed.
func (s *search) recall() {
	a := &s.author
	if a.Author == nil {
		return
	}
	for _, p := range a.Past[max(0, len(a.Past)-draftsKept):] {
		if _, there := s.Space.Lookup(p.Component); !there {
			continue
		}
		a.drafts = append(a.drafts, p)
		if p.Tonight {
			a.requests.Recall(p)
		}
		a.block.Picked(p.Component)
		a.form.Picked(string(p.Form))
		a.route.Picked(p.Route)
		a.wording.Picked(p.Wording)
	}
}

// briefDue reports whether a brief is due. Briefs are due at the pace given in the settings
// if the operators' bandit chose a model, and at half that pace otherwise.
func (s *search) briefDue() bool {
	a := &s.author
	if a.Author == nil || !s.measured() {
		return false
	}
	pace := s.asked
	if !a.wanted {
		pace /= 2
	}
	return a.requests.Due(pace) && len(a.requests.Routes(s.asked)) > 0
}

// briefIdle reports whether a brief may be requested when the search has nothing else to
// do.
func (s *search) briefIdle() bool {
	a := &s.author
	return a.Author != nil && s.measured() && a.refused < mostRefused && a.requests.Due(math.MaxInt) && len(a.requests.Routes(math.MaxInt)) > 0
}

// measured reports whether the champion has its first results.
func (s *search) measured() bool {
	champion := s.members[0]
	return champion.pending == 0 && champion.results > 0
}

// brief returns a trial that asks for a change to a block of a selected parent.
func (s *search) brief() mutate.Trial {
	a := &s.author
	a.wanted = false
	s.refresh()
	s.learnChoices()
	s.turn++
	home := s.turn % len(s.islands)
	pool, list := s.candidates(&s.islands[home])
	at, why := s.choose(list, selection.Budget{Spent: s.asked, Total: s.Budget}, s.rng)
	parent := pool[at]
	routes := a.requests.Routes(s.asked)
	if len(routes) == 0 {
		routes = a.requests.Routes(math.MaxInt)
	}
	b := mutate.Brief{
		Component: a.block.Pick(s.Authored, s.rng), Route: a.route.Pick(routes, s.rng), Cases: s.cases(parent),
		Form: mutate.Form(a.form.Pick([]string{string(mutate.Change), string(mutate.Rewrite)}, s.rng)),
	}
	if len(a.Wordings) > 0 {
		b.Wording = a.wording.Pick(a.Wordings, s.rng)
	}
	b.Tried, b.Others = s.tried(b.Component), s.others(home, parent, b.Component)
	t := mutate.Trial{
		N: int64(s.trials), Variant: parent.id, Config: parent.config.Clone(), Parents: slices.Clone(parent.parents), Operator: parent.operator,
		Generation: parent.generation, Rationale: why, Stage: bench.StageSearch, Brief: &b,
	}
	s.trials++
	a.open++
	a.requests.Ask(b.Route)
	return t
}

// cases returns the cases on which a variant is worst compared with the champion, and those
// on which it is best.
func (s *search) cases(m *member) []mutate.Case {
	champion := s.members[0]
	var list []int
	for i, v := range m.scores {
		if !math.IsNaN(v) && !math.IsNaN(champion.scores[i]) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int {
		return cmp.Or(cmp.Compare(m.scores[i]-champion.scores[i], m.scores[j]-champion.scores[j]), cmp.Compare(m.scores[i], m.scores[j]))
	})
	if len(list) > worstShown+bestShown {
		list = slices.Concat(list[:worstShown], list[len(list)-bestShown:])
	}
	var out []mutate.Case
	for _, i := range list {
		out = append(out, mutate.Case{Task: s.Tasks[i].ID, Score: m.scores[i]})
	}
	return out
}

// tried returns earlier drafts for a block, the latest first.
func (s *search) tried(block string) []mutate.TriedChange {
	var out []mutate.TriedChange
	for _, d := range slices.Backward(s.author.drafts) {
		if d.Component != block || d.Outcome != "" || len(out) == triedShown {
			continue
		}
		if d.Draft == "" {
			out = append(out, mutate.TriedChange{Refused: d.Reason})
			continue
		}
		gain, known := s.gainOf(d)
		out = append(out, mutate.TriedChange{Text: d.Config.String(block), Rationale: d.Rationale, Gain: gain, Variant: d.Draft, Unscored: !known})
	}
	return out
}

// others returns the distinct texts of the block in the best variants of the other islands.
func (s *search) others(home int, parent *member, block string) []mutate.TriedChange {
	var list []*member
	seen := map[string]bool{parent.config.String(block): true}
	for i := range s.islands {
		m := s.islands[i].best()
		if i == home || m == nil || m.gain <= 0 || seen[m.config.String(block)] {
			continue
		}
		seen[m.config.String(block)] = true
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b *member) int { return cmp.Compare(b.gain, a.gain) })
	var out []mutate.TriedChange
	for _, m := range list[:min(len(list), othersShown)] {
		out = append(out, mutate.TriedChange{Text: m.config.String(block), Rationale: m.rationale, Gain: m.gain})
	}
	return out
}

// answer processes the result of a brief. A new draft becomes a variant on the island of
// its parent; the reason for a refusal is stored for later briefs.
func (s *search) answer(o mutate.Observation) {
	a := &s.author
	if a.Author == nil {
		return
	}
	b := o.Trial.Brief
	a.open = max(0, a.open-1)
	if o.Full {
		a.requests.Close(b.Route)
		return
	}
	a.requests.Tell(b.Route, o.CostUSD, o.Tokens)
	d := mutate.PastDraft{
		Component: b.Component, Route: b.Route, Wording: b.Wording, Form: b.Form, Parent: o.Trial.Variant,
		Reason: o.Reason, Outcome: o.Outcome, CostUSD: o.CostUSD, Tokens: o.Tokens, Tonight: true,
	}
	if o.Draft != nil {
		d.Reason = s.enterDraft(&d, o)
	}
	a.drafts = append(a.drafts, d)
	if a.refused++; d.Draft != "" {
		a.refused = 0
	}
}

// enterDraft makes a draft a variant, or returns the reason for its refusal.
func (s *search) enterDraft(d *mutate.PastDraft, o mutate.Observation) (refused string) {
	config, problems := s.Space.Parse(o.Draft.Config)
	if len(problems) > 0 {
		return "the text is not valid"
	}
	normal := s.Normal(config)
	if reason, out := s.barred[normal]; out {
		return "this program was left out before: " + reason
	}
	if s.normals[normal] {
		return "this program was tried before"
	}
	m := s.enter(config)
	m.operator, m.scale, m.rationale = reflectOperator, 1, o.Draft.Rationale
	m.generation = o.Trial.Generation + 1
	s.descend(m, o.Trial.Variant)
	home := m.index % len(s.islands)
	if parent, known := s.byID[o.Trial.Variant]; known {
		parent.children++
		if at := slices.IndexFunc(s.islands, func(i island) bool { return slices.Contains(i.members, parent) }); at >= 0 {
			home = at
		}
	}
	s.islands[home].add(m)
	s.stage(m)
	d.Draft, d.Config, d.Rationale = m.id, m.config, m.rationale
	return ""
}

// gainOf returns the gain of a draft over its parent, or false while there is no result.
func (s *search) gainOf(d mutate.PastDraft) (float64, bool) {
	m, parent := s.byID[d.Draft], s.byID[d.Parent]
	if m == nil || m.common == 0 {
		return 0, false
	}
	if parent == nil {
		return m.gain, true
	}
	return m.gain - parent.gain, true
}

// learnChoices uses all drafts to recompute the bandits for the choices in briefs. A
// brief that failed because of an outage counts only against its route, and one that
// exhausted the budget does not count at all. The reward of a route decreases as its cost
// increases.
func (s *search) learnChoices() {
	a := &s.author
	for _, c := range []*operator.Arms{a.block, a.form, a.route, a.wording} {
		c.Forget()
	}
	costs, counts := map[string]float64{}, map[string]float64{}
	for _, d := range a.drafts {
		if d.Outcome == "" {
			costs[d.Route] += d.CostUSD
			counts[d.Route]++
		}
	}
	mean, asked := 0., 0. // the mean of the routes' mean costs, and the number of routes asked
	for _, r := range a.Routes {
		if n := counts[r.Name]; n > 0 {
			mean += costs[r.Name] / n
			asked++
		}
	}
	mean /= max(1, asked)
	for _, d := range a.drafts {
		gain, known := s.gainOf(d)
		if d.Outcome == agent.BudgetExceeded || d.Draft != "" && !known {
			continue
		}
		ratio := -1. // unknown
		if mean > 0 && counts[d.Route] > 0 {
			ratio = costs[d.Route] / counts[d.Route] / mean
		}
		a.route.Reward(d.Route, operator.Credit(gain, ratio))
		if d.Outcome != "" {
			continue
		}
		credit := operator.Credit(gain, -1)
		a.block.Reward(d.Component, credit)
		a.form.Reward(string(d.Form), credit)
		a.wording.Reward(d.Wording, credit)
	}
}

// draftGains returns the estimated gains of this night's drafts.
func (s *search) draftGains() []mutate.DraftGain {
	var out []mutate.DraftGain
	for _, d := range s.author.drafts {
		if m := s.byID[d.Draft]; d.Tonight && m != nil {
			gain, _ := s.gainOf(d)
			se := m.deviation
			if parent := s.byID[d.Parent]; parent != nil {
				se = math.Hypot(se, parent.deviation)
			}
			out = append(out, mutate.DraftGain{Variant: d.Draft, Gain: gain, SE: se, Evaluations: m.results})
		}
	}
	return out
}
