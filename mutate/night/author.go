package night

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/mutate/reflection"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// reflectOperator is the operator of the variants that a language model wrote.
const reflectOperator = "reflect"

const (
	// maxLineage is the maximum number of a draft's ancestors against which its novelty is
	// checked.
	maxLineage = 20
	// mostDrafts is the maximum number of drafts read from earlier nights.
	mostDrafts = 200
)

// author answers the search's briefs with the models of search.reflect. Only the search's
// driver uses it, except that the function returned by ask may run in any goroutine. The
// text for the model depends only on the results that the search had when the brief was
// issued, and on the archive as it was when the run began.
type author struct {
	*night
	answers *bench.AnswerIndex
	dataset reflection.Dataset
	seen    map[caseID]bench.Evaluation // evaluations that the search has received, without their transcripts
	health  map[string]operator.ToolHealth
	family  map[agent.ConfigID]mutate.Trial
	past    map[int64]DraftNote // notes from before the run was resumed, by the number of the brief
	notes   []DraftNote         // of this run
	drafted []mutate.PastDraft  // for the search
	forms   answerForms
	unfit   map[componentText]bool // texts of variants whose proposals were refused
	patience
	purse *purse
	// open is the context of the requests under way, and stop cancels it; both are nil
	// until there is a request.
	open context.Context
	stop context.CancelCauseFunc
}

// errSearchOver cancels requests whose answers the search no longer needs.
var errSearchOver = errors.New("the search ended before the model answered")

// caseID identifies an evaluation of this run.
type caseID struct {
	variant agent.ConfigID
	task    string
	repeat  int
}

// newAuthor returns an author if search.reflect names a route, and nil otherwise. It reads
// the drafts from earlier nights and, if this run was resumed, its drafts from before.
func (n *night) newAuthor(ctx context.Context) (*author, error) {
	if n.opened.Reflect == nil {
		return nil, nil
	}
	if n.Agent.Fixed() {
		n.earlier = map[caseID]bench.Evaluation{}
	}
	var tasks []bench.Task
	for _, t := range slices.Concat(n.sample.Search, n.sample.Holdout) {
		tasks = append(tasks, *t)
	}
	a := &author{
		night: n, answers: bench.IndexAnswers(tasks), dataset: reflection.Summarise(n.sample.Search),
		seen: map[caseID]bench.Evaluation{}, health: map[string]operator.ToolHealth{},
		family: map[agent.ConfigID]mutate.Trial{}, past: map[int64]DraftNote{}, forms: answerForms{},
		purse: newPurse(n.Settings.Reflect),
	}
	var err error
	if a.unfit, err = n.refusedTexts(ctx); err != nil {
		return nil, err
	}
	var earlier []DraftNote
	asked := map[int64]AskedNote{} // requests of this run that were not answered
	for e, err := range n.Archive.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the drafts: %w", err)
		}
		var d DraftNote
		switch {
		case e.Kind == AskedKind && e.Subject == n.Run.ID:
			var q AskedNote
			if json.Unmarshal(e.Data, &q) == nil && q.Agent == n.Agent.ID {
				asked[e.Seq] = q
			}
		case e.Kind != DraftKind || json.Unmarshal(e.Data, &d) != nil || d.Agent != n.Agent.ID:
		case e.Subject != n.Run.ID:
			earlier = append(earlier, d)
			a.forms.learn(d)
		default:
			a.past[d.Brief] = d
			for _, x := range d.Attempts {
				a.purse.spend(d.Route, use{x.Calls, x.USD, x.Tokens}, x.Lost)
				delete(asked, x.Asked)
			}
			if len(d.Attempts) == 0 && (d.Usage != (agent.Usage{}) || d.Asked > 0 && !d.Cut) {
				a.purse.spend(d.Route, use{1, d.Usage.CostUSD, d.Usage.InputTokens + d.Usage.OutputTokens}, false)
				delete(asked, d.Asked)
			}
			if !a.replays() {
				a.notes = append(a.notes, d)
				a.forms.learn(d)
			}
		}
	}
	for _, q := range asked {
		a.purse.spend(q.Route, use{1, q.USD, q.Tokens}, true)
	}
	if err := a.addPast(ctx, earlier[max(0, len(earlier)-mostDrafts):], false); err != nil {
		return nil, err
	}
	return a, a.addPast(ctx, a.notes, true)
}

// options returns the search options that concern the author.
func (a *author) options() *mutate.Author {
	if a == nil {
		return nil
	}
	o := &mutate.Author{Rate: a.Settings.Reflect.Rate, Wordings: reflection.Wordings(), Past: a.drafted}
	for _, r := range a.Settings.Reflect.Routes {
		o.Routes = append(o.Routes, r.AuthorRoute)
	}
	return o
}

// route returns the route of search.reflect with the given name.
func (a *author) route(name string) ReflectRoute {
	for _, r := range a.Settings.Reflect.Routes {
		if r.Name == name {
			return r
		}
	}
	return ReflectRoute{}
}

// addVariant records the variant of a trial.
func (a *author) addVariant(t mutate.Trial) {
	if _, known := a.family[t.Variant]; !known {
		a.family[t.Variant] = mutate.Trial{Config: t.Config, Parents: t.Parents}
	}
}

// learn records an evaluation before it is passed to the search.
func (a *author) learn(t mutate.Trial, e bench.Evaluation) {
	a.addVariant(t)
	for _, c := range calls(e.Transcript) {
		h := a.health[c.Tool]
		h.Tool = c.Tool
		h.Calls++
		if c.Failed {
			h.Failures++
		}
		a.health[c.Tool] = h
	}
	e.Transcript = nil
	a.seen[caseID{t.Variant, t.Task, t.Repeat}] = e
}

// ask prepares the answer to a brief. The content of the request is determined when ask is
// called; the caller runs the returned function, and an error from it ends the run.
func (a *author) ask(ctx context.Context, t mutate.Trial) func() (reflection.Reply, error) {
	if known, ok := a.earlierReply(ctx, t); ok {
		return func() (reflection.Reply, error) { return known, nil }
	}
	m := reflection.Material{
		Space: a.Agent.Space, Config: t.Config, Component: t.Brief.Component, Form: t.Brief.Form, Wording: t.Brief.Wording,
		Tried: a.tried(t.Brief), Others: a.others(t.Brief), Source: a.Agent.Source[t.Brief.Component], Profile: a.Agent.Profile, Dataset: a.dataset, Room: a.route(t.Brief.Route).Room,
		Problem: a.Agent.Problem, Imports: a.Agent.Imports[t.Brief.Component],
		Competence: a.competence(t.Variant), Feedback: a.Agent.Feedback, Corrections: a.Agent.Corrections,
		Lineage: a.lineage(t.Variant), Answers: a.answers,
		Health: slices.SortedFunc(maps.Values(a.health), func(x, y operator.ToolHealth) int { return cmp.Compare(x.Tool, y.Tool) }),
	}
	var keys []bench.Key
	for _, c := range t.Brief.Cases {
		id := caseID{t.Variant, c.Task, c.Repeat}
		e, ok := a.seen[id]
		if !ok {
			e, ok = a.earlier[id]
		}
		task := a.tasks[c.Task]
		if !ok || task == nil || task.Split != bench.Search {
			continue
		}
		keys = append(keys, e.Key)
		c := reflection.Case{
			Task: e.Task, Domain: e.Domain, Goal: task.Request(), Outcome: e.Outcome, Score: e.Score, Pass: e.Pass,
			Answer: e.Answer, Reasons: e.Reasons(),
		}
		if task.Answer != nil {
			c.Expected = *task.Answer
		}
		m.Cases = append(m.Cases, c)
	}
	m.Tried = a.failed(m.Tried)
	m.Plain = a.forms.plain(a.route(t.Brief.Route))
	seed := (a.Run.Seed + t.N) & (1<<53 - 1)
	if a.open == nil {
		a.open, a.stop = context.WithCancelCause(ctx)
	}
	within := a.open
	return func() (reflection.Reply, error) {
		if err := a.transcripts(ctx, keys, m.Cases); err != nil {
			return reflection.Reply{}, err
		}
		return a.draft(within, t, m, seed)
	}
}

// failed returns those of the earlier changes that failed on a search case, with their
// results.
func (a *author) failed(list []mutate.TriedChange) []mutate.TriedChange {
	at := map[agent.ConfigID]int{}
	out := slices.Clone(list)
	for i, t := range out {
		if t.Variant != "" {
			at[t.Variant] = i
		}
	}
	first := map[agent.ConfigID]caseID{}
	look := func(known map[caseID]bench.Evaluation) {
		for id, e := range known {
			i, shown := at[id.variant]
			task := a.tasks[id.task]
			if !shown || task == nil || task.Split != bench.Search || e.Outcome == agent.OK || !e.Scored {
				continue
			}
			if was, there := first[id.variant]; there && cmp.Or(cmp.Compare(was.task, id.task), cmp.Compare(was.repeat, id.repeat)) <= 0 {
				continue
			}
			first[id.variant] = id
			out[i].Failed = strings.Join(append([]string{"case " + id.task + ": " + string(e.Outcome)}, e.Reasons()...), "\n")
		}
	}
	look(a.seen)
	look(a.earlier)
	return out
}

// abandon cancels the requests under way when their answers are no longer needed. cause is
// errSearchOver or the error that ends the run.
func (a *author) abandon(cause error) {
	if a.stop != nil {
		a.stop(cause)
		a.open, a.stop = nil, nil
	}
}

// transcripts loads the transcripts of the cases and skips those that were not stored.
func (a *author) transcripts(ctx context.Context, keys []bench.Key, cases []reflection.Case) error {
	if err := a.Archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	for i, k := range keys {
		switch t, err := a.Archive.Transcript(ctx, k); {
		case err == nil:
			cases[i].Transcript = &t
		case !errors.Is(err, archive.ErrNotFound):
			return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
		}
	}
	return nil
}

// draft sends a request to the model of a brief's route, within the bounds of
// search.reflect and the run's budget. If the request fails for a reason other than these
// bounds, the search gets no draft.
func (a *author) draft(ctx context.Context, t mutate.Trial, m reflection.Material, seed int64) (reflection.Reply, error) {
	route := t.Brief.Route
	late := func(r reflection.Reply) (reflection.Reply, error) {
		if cause := context.Cause(ctx); !errors.Is(cause, errSearchOver) {
			return reflection.Reply{}, cause
		}
		r.Draft, r.Reason, r.Outcome = nil, errSearchOver.Error(), agent.BudgetExceeded
		return r, nil
	}
	sent := &sending{author: a, trial: t}
	attempts, err := model.BeginAttempts(ctx, sent, model.AtMost(a.opened.Reflect, m.Request(route, seed)))
	switch {
	case err != nil && ctx.Err() != nil:
		return late(reflection.Reply{})
	case sent.full != "":
		if a.purse.ends(route) {
			a.Log.Warn("a limit stopped further requests to a route of search.reflect", "agent", a.Agent.ID, "route", route, "reason", sent.full)
		}
		return reflection.Reply{Reason: sent.full, Outcome: agent.BudgetExceeded, Full: true}, nil
	case err != nil:
		return reflection.Reply{}, err
	}
	start := a.Now()
	reply, err := reflection.Reflector{Model: a.opened.Reflect, Route: route, Timeout: a.bound(route)}.Draft(attempts.Within(ctx), m, seed)
	took := a.Now().Sub(start)
	a.spend(took)
	reply.Cut = reply.Cut || err != nil && ctx.Err() != nil
	attempts.End(reply.Usage, reply.Cut)
	reply.Asked, reply.Attempts = sent.ended()
	if err != nil && ctx.Err() != nil {
		return late(reply)
	}
	if err == nil {
		a.ended(route, took, reply.Outcome == "")
		return reply, nil
	}
	if sent.err != nil {
		return reply, sent.err
	}
	a.Log.Warn("the model of search.reflect gave no answer", "agent", a.Agent.ID, "route", route, "error", err)
	reply.Draft, reply.Outcome = nil, agent.Infrastructure
	var known *model.Error
	switch {
	case sent.full != "":
		reply.Outcome = agent.BudgetExceeded
	case errors.As(err, &known) && known.Outcome == agent.RateLimited:
		reply.Outcome = agent.RateLimited
	}
	reply.Reason = strings.ReplaceAll(string(reply.Outcome), "_", " ") + ": " + err.Error()
	return reply, nil
}

// keep records the result of a brief before it is passed to the search, so that a result
// that was paid for survives the run. A draft is stored as a variant.
func (a *author) keep(ctx context.Context, t mutate.Trial, r reflection.Reply) error {
	if before, ok := a.past[t.N]; ok && a.replays() {
		a.notes = append(a.notes, before)
		a.forms.learn(before)
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	b := t.Brief
	note := DraftNote{
		Agent: a.Agent.ID, Brief: t.N, Variant: t.Variant, Component: b.Component, Form: b.Form, Route: b.Route, Model: a.route(b.Route).Model,
		Wording: b.Wording, Reason: r.Reason, Outcome: r.Outcome, Usage: r.Usage,
		Plain: a.forms.plain(a.route(b.Route)), Unreadable: r.Unreadable, Unbound: r.Unbound,
		Asked: r.Asked, Attempts: r.Attempts, Cut: r.Cut, Full: r.Full,
	}
	if r.InUse {
		note.InUse = a.Agent.InUse
	}
	if r.Draft != nil {
		note.Draft = r.Draft.Config.ID()
		err := a.putVariant(ctx, archive.Variant{
			ID: note.Draft, Config: r.Draft.Config, Parents: []agent.ConfigID{t.Variant}, Operator: reflectOperator,
			Generation: t.Generation + 1, Rationale: r.Draft.Rationale, Author: writer(note),
		}, &archive.Mutation{Agent: a.Agent.ID, Parent: t.Variant, Child: note.Draft, Operator: reflectOperator, Run: a.Run.ID})
		if err != nil {
			return err
		}
		if err := a.Archive.Flush(ctx); err != nil {
			return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
		}
	}
	e, err := archive.NewLedgerEntry(a.Now(), DraftKind, a.Run.ID, note)
	if err != nil {
		return err
	}
	if _, err := a.Archive.Append(ctx, e); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	a.notes = append(a.notes, note)
	a.forms.learn(note)
	return nil
}

// writer returns a text that names the model that wrote a draft, and its route.
func writer(d DraftNote) string {
	if d.Model == "" {
		return d.Route
	}
	return d.Model + " (route " + d.Route + ")"
}

// replays reports whether the search repeats the same trial numbers after a resume.
func (a *author) replays() bool { return a.Agent.Deterministic }

// earlierReply returns the result that a brief had before the run was resumed.
func (a *author) earlierReply(ctx context.Context, t mutate.Trial) (reflection.Reply, bool) {
	d, ok := a.past[t.N]
	if !ok || !a.replays() || d.Variant != t.Variant || d.Component != t.Brief.Component {
		delete(a.past, t.N)
		return reflection.Reply{}, false
	}
	if d.Draft == "" {
		return reflection.Reply{Reason: d.Reason, Outcome: d.Outcome, Usage: d.Usage, Full: d.Full}, true
	}
	v, err := a.Archive.Variant(ctx, a.Agent.ID, d.Draft)
	if err != nil {
		delete(a.past, t.N)
		return reflection.Reply{}, false
	}
	return reflection.Reply{Draft: &mutate.Draft{Config: v.Config, Rationale: v.Rationale}, Usage: d.Usage}, true
}

// competence returns the scores of a variant in each domain, in alphabetical order.
func (a *author) competence(variant agent.ConfigID) []reflection.Competence {
	by := map[string]reflection.Competence{}
	for id, e := range a.seen {
		if id.variant == variant && e.Scored {
			c := by[e.Domain]
			c.Domain = e.Domain
			c.Score += e.Score
			c.Evaluations++
			by[e.Domain] = c
		}
	}
	list := slices.SortedFunc(maps.Values(by), func(x, y reflection.Competence) int { return cmp.Compare(x.Domain, y.Domain) })
	for i := range list {
		list[i].Score /= float64(list[i].Evaluations)
	}
	return list
}

// lineage returns the chain of a variant's first parents in this run, nearest first.
func (a *author) lineage(variant agent.ConfigID) []agent.Config {
	var out []agent.Config
	for at := a.family[variant]; len(at.Parents) > 0 && len(out) < maxLineage; {
		parent, known := a.family[at.Parents[0]]
		if !known {
			break
		}
		out = append(out, parent.Config)
		at = parent
	}
	return out
}
