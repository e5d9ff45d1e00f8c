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

// authoring is the state of the requests to language models for changes. Four choices in
// a brief are learnt from the gains of the drafts: the component, the form of the change,
// the route and the wording of the request.
type authoring struct {
	*Author            // nil: briefs are not answered
	requests *Requests // of this night
	wanted   bool      // the bandit chose the author
	drafts   []*draft  // the oldest first

	component, route, wording *operator.Arms
	forms                     map[string]*operator.Arms // by component
}

// draft is the result of a brief.
type draft struct {
	PastDraft
	// gain is its gain over its parent on common tasks of earlier nights, and common the
	// number of these tasks.
	gain, common float64
}

const (
	// Numbers of cases in a brief, of the leading kind among them if there are as many,
	// and of earlier changes, refused ones among them.
	casesShown   = 5
	leadingShown = 3
	triedShown   = 8
	refusedShown = 3
	// draftsKept bounds the drafts of earlier nights, and shrunkBy is the number of
	// evaluations without a difference that is added to theirs.
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

// briefDue reports whether a brief is due now: at the pace of the settings when the
// operators' bandit requests one, at half of it otherwise.
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

// brief returns a trial that asks for a change of a component of a selected parent; false
// when there is no component or no case.
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

// form returns the choice of the form of a component's changes.
func (w *authoring) form(component string) *operator.Arms {
	if w.forms[component] == nil {
		w.forms[component] = operator.NewArms()
	}
	return w.forms[component]
}

// choices returns all choices that are learnt.
func (w *authoring) choices() []*operator.Arms {
	return append(slices.Collect(maps.Values(w.forms)), w.component, w.route, w.wording)
}

// triedChanges returns earlier changes of a component, the latest first, the latest
// refusals among them.
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

// gain returns the estimated gain of a draft over its parent, and the number of its
// evaluations of tonight.
func (s *search) gain(d *draft) (gain float64, evaluations int) {
	if a := s.byID[d.Draft]; a != nil && a.scored > 0 {
		return s.expected(a.ability) - s.expected(s.reference(a).ability), a.scored
	}
	return d.gain, 0
}

// gainError returns the standard error of the gain of a draft with evaluations, as if its
// estimate and that of its parent were independent.
func (s *search) gainError(d *draft) float64 {
	a := s.byID[d.Draft]
	if a == nil || a.scored == 0 {
		return 0
	}
	p := s.reference(a)
	return math.Hypot(s.slope(a.ability)*a.deviation, s.slope(p.ability)*p.deviation)
}

// reference returns the first parent of a variant, or the champion where it is unknown.
func (s *search) reference(a *variantStats) *variantStats {
	if len(a.parents) > 0 {
		if p, ok := s.byID[a.parents[0]]; ok {
			return p
		}
	}
	return s.champion
}

// components lists the components of a variant that a model may change: its texts, and
// without any its subsets and choices. The search over numbers handles the latter well
// without a model, and demonstrations where it can take them from tasks; others need a
// case that passed.
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

// formsOf lists the forms of a change of a component. Worked examples need a case that
// passed, and stand in an instruction only if no other component holds them.
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

// passed reports whether one of the variant's recent evaluations passed.
func (a *variantStats) passed() bool {
	return slices.ContainsFunc(a.cases, func(c Case) bool { return c.Score >= failed })
}

// cases returns evaluations of a variant to learn from, failed ones first, or passed ones
// first.
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

// answer processes the result of a brief. A new draft becomes a variant; the cause of a
// refusal is kept for later briefs.
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

// enterDraft makes a draft a variant, or returns the reason for its refusal.
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

// learnChoices computes the bandits of the choices in briefs from all drafts, by the
// latest estimates of their gains. An outage counts against the route alone, and a spent
// budget against nothing. The reward of a route falls with its cost; see
// [operator.Credit].
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

// improvement returns the expected gain of a draft over its parent with losses counted as
// 0; false while there is no result. A refused draft has none.
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

// floored returns the expectation of a normal variable, with negative values counted as 0.
func floored(mean, sd float64) float64 {
	if !(sd > 0) {
		return max(mean, 0)
	}
	z := mean / sd
	return mean*distuv.UnitNormal.CDF(z) + sd*distuv.UnitNormal.Prob(z)
}

// meanCost returns the mean of the routes' mean costs of a request.
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

// routeCost returns the mean cost of a request to a route, over all nights; negative if
// there was none.
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

// recallDrafts adds earlier drafts, with the difference between draft and parent in the
// history on tasks that both had. The state of the choices is computed from these
// records, not stored.
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

// sumOf is a sum of scores.
type sumOf struct{ score, n float64 }

// pairedGain returns the mean difference on common tasks, shrunk towards 0, and the number
// of these tasks.
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

// draftGains returns the estimates of the drafts of this night.
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
