package mutate

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"evolve/bench"
	"evolve/mutate/operator"
	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// authoring is the state of the briefs, which are requests to language models for changes.
// Four choices in a brief are learnt from the gains of the drafts: the component, the form
// of the change, the route and the wording of the request.
type authoring struct {
	*Author            // nil if briefs are not answered
	requests *Requests // of this night
	wanted   bool      // the bandit chose the author
	drafts   []*draft  // the oldest first

	component, route, wording *operator.Arms
	forms                     map[string]*operator.Arms // by component
}

// draft is the result of a brief.
type draft struct {
	PastDraft
	// gain is the draft's gain over its parent on common tasks of earlier nights. common is
	// the number of these tasks.
	gain, common float64
}

const (
	// These constants limit a brief: the number of cases, how many of them are of the
	// leading kind if there are enough, the number of earlier changes, and how many of
	// these may be refused changes.
	casesShown   = 5
	leadingShown = 3
	triedShown   = 8
	refusedShown = 3
	// draftsKept is the maximum number of drafts from earlier nights. The gain of such a
	// draft is shrunk as if the draft had been measured on shrunkBy further tasks without
	// a difference.
	draftsKept = 200
	shrunkBy   = 4
)

func newAuthoring(o *Author) authoring {
	w := authoring{Author: o, component: operator.NewArms(), route: operator.NewArms(), wording: operator.NewArms(), forms: map[string]*operator.Arms{}}
	if o == nil {
		return w
	}
	w.requests = NewRequests(o)
	return w
}

// briefDue reports whether a brief is due now. Briefs come at the pace that the settings
// state if the operators' bandit requests one, and otherwise at half that pace.
func (s *search) briefDue() bool {
	w := &s.author
	if w.Author == nil || !s.posterior.ready() {
		return false
	}
	pace := s.spent
	if !w.wanted {
		pace /= 2
	}
	return w.requests.Due(pace) && len(w.requests.Routes(s.spent)) > 0
}

// brief returns a trial that asks for a change to a component of a selected parent, or
// false if there is no component or no case.
func (s *search) brief() (Trial, bool) {
	w := &s.author
	w.wanted = false
	s.learnChoices()
	s.refreshParents()
	at, why := s.breeding.choose(s.breeding.candidates, selection.Budget{Spent: s.spent, Total: s.budget}, s.rng)
	a := s.breeding.pool[at]
	components := s.components(a)
	if len(components) == 0 || len(a.cases) == 0 {
		return Trial{}, false
	}
	b := Brief{Component: w.component.Pick(components, s.rng)}
	b.Form = Form(w.form(b.Component).Pick(s.formsOf(a, b.Component), s.rng))
	b.Route = w.route.Pick(w.requests.Routes(s.spent), s.rng)
	if len(w.Wordings) > 0 {
		b.Wording = w.wording.Pick(w.Wordings, s.rng)
	}
	b.Cases, b.Tried = cases(a, b.Form == Demonstrate), s.triedChanges(b.Component)
	t := Trial{
		N: int64(s.asked), Variant: a.id, Config: a.config.Clone(), Parents: slices.Clone(a.parents), Operator: a.operator,
		Generation: a.generation, Rationale: why, Stage: bench.StageSearch, Brief: &b,
	}
	s.asked++
	w.requests.Ask(b.Route)
	return t, true
}

// form returns the bandit that chooses the form of changes to a component.
func (w *authoring) form(component string) *operator.Arms {
	if w.forms[component] == nil {
		w.forms[component] = operator.NewArms()
	}
	return w.forms[component]
}

// choices returns the bandits of all choices in a brief.
func (w *authoring) choices() []*operator.Arms {
	return append(slices.Collect(maps.Values(w.forms)), w.component, w.route, w.wording)
}

// triedChanges returns earlier changes to a component, latest first, including the latest
// refusals.
func (s *search) triedChanges(component string) []TriedChange {
	var list []*draft
	refused := 0
	for _, d := range slices.Backward(s.author.drafts) {
		if d.Component != component || d.Outcome != "" {
			continue
		}
		if d.Draft == "" {
			if refused == refusedShown {
				continue
			}
			refused++
		}
		list = append(list, d)
	}
	var out []TriedChange
	for _, d := range list {
		if d.Draft == "" {
			refused--
			out = append(out, TriedChange{Refused: d.Reason})
		} else if len(out)+refused < triedShown {
			gain, evaluations := s.gain(d)
			out = append(out, TriedChange{
				Text: d.Config.String(component), Rationale: d.Rationale, Gain: gain, Variant: d.Draft, Unscored: evaluations == 0 && d.common == 0,
			})
		}
	}
	return out
}

// gain returns the estimated gain of a draft over its parent, and the number of the draft's
// evaluations tonight.
func (s *search) gain(d *draft) (gain float64, evaluations int) {
	if a := s.byID[d.Draft]; a != nil && a.scored > 0 {
		return s.expected(a.ability) - s.expected(s.reference(a).ability), a.scored
	}
	return d.gain, 0
}

// gainError returns the standard error of the gain of a draft, as if the estimates for the
// draft and for its parent were independent. It is 0 if the draft has no evaluations.
func (s *search) gainError(d *draft) float64 {
	a := s.byID[d.Draft]
	if a == nil || a.scored == 0 {
		return 0
	}
	p := s.reference(a)
	return math.Hypot(s.slope(a.ability)*a.deviation, s.slope(p.ability)*p.deviation)
}

// reference returns the first parent of a variant, or the champion if the parent is
// unknown.
func (s *search) reference(a *variantStats) *variantStats {
	if len(a.parents) > 0 {
		if p, ok := s.byID[a.parents[0]]; ok {
			return p
		}
	}
	return s.champion
}

// components lists the components of a variant that a model may change: its texts or, if it
// has none, its subsets and choices. The search over numbers handles subsets and choices
// well without a model. It also handles demonstrations well if it can take them from tasks;
// other demonstrations need a case that passed.
func (s *search) components(a *variantStats) []string {
	var texts, others []string
	for _, p := range s.space.Params {
		if _, active := a.config[p.Name]; !active {
			continue
		}
		switch {
		case p.Kind == agent.Text:
			if p.Use != agent.Demonstrations || s.demoPool.Empty() && a.passed() {
				texts = append(texts, p.Name)
			}
		case (p.Kind == agent.Subset || p.Kind == agent.Choice) && !operator.Fixed(p):
			others = append(others, p.Name)
		}
	}
	if len(texts) > 0 {
		return texts
	}
	return others
}

// formsOf lists the forms in which a component can be changed. Worked examples require a
// case that passed, and are added to an instruction only if the space has no parameter for
// demonstrations.
func (s *search) formsOf(a *variantStats, component string) []string {
	p, _ := s.space.Lookup(component)
	switch {
	case p.Kind != agent.Text || len(p.Lines) > 0:
		return []string{string(Change)}
	case p.Use == agent.Demonstrations:
		return []string{string(Demonstrate)}
	}
	forms := []string{string(Change), string(Rewrite)}
	if a.passed() && !slices.ContainsFunc(s.space.Params, func(p agent.Param) bool { return p.Use == agent.Demonstrations }) {
		forms = append(forms, string(Demonstrate))
	}
	return forms
}

// passed reports whether at least one of the variant's recent evaluations passed.
func (a *variantStats) passed() bool {
	return slices.ContainsFunc(a.cases, func(c Case) bool { return c.Score >= failed })
}

// cases selects recent evaluations of a variant to show in a brief: failed evaluations
// first, or passed evaluations first if passed is set.
func cases(a *variantStats, passed bool) []Case {
	var lead, rest []Case
	for _, c := range slices.Backward(a.cases) {
		if (c.Score >= failed) == passed {
			lead = append(lead, c)
		} else {
			rest = append(rest, c)
		}
	}
	take := min(len(lead), max(leadingShown, casesShown-len(rest)))
	out := lead[:take]
	return append(out, rest[:min(len(rest), casesShown-take)]...)
}

// answer processes the result of a brief. A new draft becomes a variant. The cause of a
// refusal is stored for later briefs.
func (s *search) answer(o Observation) {
	w := &s.author
	if w.Author == nil {
		return
	}
	b := o.Trial.Brief
	if o.Full {
		w.requests.Close(b.Route)
		return
	}
	w.requests.Tell(b.Route, o.CostUSD, o.Tokens)
	d := &draft{PastDraft: PastDraft{
		Component: b.Component, Route: b.Route, Wording: b.Wording, Form: b.Form, Parent: o.Trial.Variant,
		Reason: o.Reason, Outcome: o.Outcome, CostUSD: o.CostUSD, Tokens: o.Tokens, Tonight: true,
	}}
	w.drafts = append(w.drafts, d)
	if parent, known := s.byID[o.Trial.Variant]; known && o.Draft != nil {
		d.Reason = s.enterDraft(d, parent, o.Draft)
	}
}

// enterDraft turns a draft into a variant, or returns the reason for refusing it.
func (s *search) enterDraft(d *draft, parent *variantStats, written *Draft) (refused string) {
	config, problems := s.space.Parse(written.Config)
	if len(problems) > 0 {
		return "the config is not valid in the space"
	}
	if s.byID[config.ID()] != nil {
		return "this config was tried before"
	}
	given := operator.FailureContext{Space: s.space, Champion: s.champion.config, Parent: parent.config, Lineage: s.lineage(parent)}
	if why, refused := operator.Refuse(given, operator.Child{Config: config, Operator: reflectOperator}); refused {
		return "the change is not new: " + why
	}
	a := s.enter(proposal{
		config: config, parents: []*variantStats{parent}, operator: reflectOperator, rationale: written.Rationale,
		scale: 1, ability: parent.ability,
	})
	d.Draft, d.Config, d.Rationale = a.id, a.config, a.rationale
	return ""
}

// learnChoices recomputes the bandits for the choices in briefs from all drafts, using the
// latest estimates of their gains. An outage counts only against the route, and an
// exhausted budget counts against no choice. The reward of a route decreases with its cost;
// see [operator.Credit].
func (s *search) learnChoices() {
	w := &s.author
	for _, c := range w.choices() {
		c.Forget()
	}
	mean := w.meanCost()
	for _, d := range w.drafts {
		improved, known := s.improvement(d)
		if !known || d.Outcome == agent.BudgetExceeded {
			continue
		}
		ratio := -1.0 // unknown
		if mean > 0 {
			ratio = w.routeCost(d.Route) / mean
		}
		w.route.Reward(d.Route, operator.Credit(improved, ratio))
		if d.Outcome != "" {
			continue
		}
		credit := operator.Credit(improved, -1)
		w.component.Reward(d.Component, credit)
		w.wording.Reward(d.Wording, credit)
		w.form(d.Component).Reward(string(d.Form), credit)
	}
}

// improvement returns the expected gain of a draft over its parent, with losses counted as
// 0. It returns false while the draft has no result. The gain of a refused draft is 0.
func (s *search) improvement(d *draft) (float64, bool) {
	a := s.byID[d.Draft]
	switch {
	case d.Draft == "":
		return 0, true
	case a != nil && a.results >= min(s.plan.first, a.target) && a.scored > 0:
		gain, _ := s.gain(d)
		return floored(gain, a.deviation*s.slope(a.ability)), true
	case d.common > 0:
		return floored(d.gain, 0.5/math.Sqrt(d.common+shrunkBy)), true
	}
	return 0, false
}

// floored returns the expectation of max(X, 0) for a normal variable X.
func floored(mean, sd float64) float64 {
	if !(sd > 0) {
		return max(mean, 0)
	}
	z := mean / sd
	return mean*distuv.UnitNormal.CDF(z) + sd*distuv.UnitNormal.Prob(z)
}

// meanCost returns the mean, over the routes, of their mean costs per request.
func (w *authoring) meanCost() float64 {
	sum, n := 0.0, 0
	for _, r := range w.Routes {
		if c := w.routeCost(r.Name); c >= 0 {
			sum += c
			n++
		}
	}
	return sum / float64(max(1, n))
}

// routeCost returns the mean cost of a request to a route over all nights. It is negative
// if there was no request.
func (w *authoring) routeCost(route string) float64 {
	sum, n := 0.0, 0
	for _, d := range w.drafts {
		if d.Route == route && d.Outcome == "" {
			sum += d.CostUSD
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return sum / float64(n)
}

// recallDrafts adds earlier drafts. The gain of each is the difference between its scores
// and its parent's scores in the history, on the tasks that both had. The state of the
// bandits is not stored but computed from these records.
func (s *search) recallDrafts(history []Remembered) {
	w := &s.author
	if w.Author == nil || len(w.Past) == 0 {
		return
	}
	means := map[agent.ConfigID]map[string]sumOf{}
	for _, r := range history {
		if means[r.Variant] == nil {
			means[r.Variant] = map[string]sumOf{}
		}
		m := means[r.Variant][r.Task]
		means[r.Variant][r.Task] = sumOf{m.score + r.Score, m.n + 1}
	}
	for _, p := range w.Past[max(0, len(w.Past)-draftsKept):] {
		if _, there := s.space.Lookup(p.Component); !there {
			continue
		}
		d := &draft{PastDraft: p}
		w.drafts = append(w.drafts, d)
		if p.Tonight {
			w.requests.Recall(p)
		}
		d.gain, d.common = pairedGain(means[p.Draft], means[p.Parent])
		w.component.Picked(p.Component)
		w.wording.Picked(p.Wording)
		w.route.Picked(p.Route)
		w.form(p.Component).Picked(string(p.Form))
	}
}

// sumOf is a sum of n scores.
type sumOf struct{ score, n float64 }

// pairedGain returns the mean difference between a draft and its parent on their common
// tasks, shrunk towards 0, and the number of these tasks.
func pairedGain(draft, parent map[string]sumOf) (gain, common float64) {
	sum, n := 0.0, 0.0
	for _, task := range slices.Sorted(maps.Keys(draft)) {
		if d, p := draft[task], parent[task]; p.n > 0 {
			sum += d.score/d.n - p.score/p.n
			n++
		}
	}
	return sum / (n + shrunkBy), n
}

// draftGains returns the estimated gains of the drafts from this night.
func (s *search) draftGains() []DraftGain {
	var out []DraftGain
	for _, d := range s.author.drafts {
		if d.Tonight && d.Draft != "" {
			gain, n := s.gain(d)
			out = append(out, DraftGain{d.Draft, gain, s.gainError(d), n})
		}
	}
	return out
}
