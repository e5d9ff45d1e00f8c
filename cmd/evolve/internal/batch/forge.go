package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/mutate/toolwriter"
	"evolve/reports/number"
	"evolve/runtime/authored"
	"evolve/runtime/experience"
	"evolve/runtime/text"
)

// ForgeKind is the kind of the ledger entries that hold a [ForgeNote]. Their subject is the
// run.
const ForgeKind = "tool.forge"

// The limits of the work on tools in an agent's night. In addition, the limits of
// search.reflect apply to the sum of the calls of search.reflect and the calls about
// tools.
const (
	forgedTools = 2      // tools
	forgeCalls  = 3      // calls per tool
	forgeTokens = 60_000 // tokens after which no call begins
	// forgeShare is the share of the run's money reserved for the work on tools.
	forgeShare = .05
	// freshEvidence is how many referrals, weak answers and violations must have occurred
	// since the last draft to count as new evidence. It is also the minimum number of
	// occurrences for an outcome to count as repeated.
	freshEvidence = 3
	// maxForgeReason limits, in bytes, the reason for a refusal that is stored in the
	// ledger.
	maxForgeReason = 2000
)

// Forge has agents' tools rewritten if the experience from live turns suggests it. Each
// result is a proposal; nothing else changes.
type Forge struct {
	// Tools returns the tools that an agent wrote and that are in use.
	Tools func(a *workspace.Agent) ([]authored.Definition, error)
	// Check runs the tests of a draft.
	Check func(ctx context.Context, d authored.Definition) authored.Report
	// Propose makes a proposal from a draft that passed its tests.
	Propose func(ctx context.Context, a *workspace.Agent, run string, d authored.Definition, why string) (archive.ProposalRecord, error)
}

// ForgeNote is the ledger's record of an attempt to have a tool rewritten.
type ForgeNote struct {
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
	// Remedy is the advice. Evidence is the number of calls on which the advice is based;
	// another attempt requires new evidence.
	Remedy   experience.Remedy `json:"remedy"`
	Evidence int               `json:"evidence"`
	archive.ToolDraft
	// Source is the source of the last draft if it was refused, and Reason is the reason
	// for the refusal. Both are untrusted text.
	Source string `json:"source,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Forging is a forecast of the model calls that rewriting a tool would take.
type Forging struct {
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
	Route string `json:"route"`
	// Calls is the maximum number of calls, and Tokens is the number of tokens after which
	// no call begins.
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"`
	// USD is the maximum cost, or 0 if only the run's money limits it.
	USD float64 `json:"usd,omitempty"`
	// Text is the forecast in words.
	Text string `json:"text"`
}

// forgeJob is a tool that is to be rewritten. note is the index of the tool's note in the
// run.
type forgeJob struct {
	agent *workspace.Agent
	note  int
	def   authored.Definition
	// attempts are earlier drafts that were refused, the latest first.
	attempts []toolwriter.Attempt
	// killed is the proposal of a process that was killed before it noted the draft; it is
	// nil if there is none.
	killed *archive.ProposalRecord
}

// findForgeable finds the tools that should be rewritten, and records in the notes on the
// other tools why they should not be rewritten. A tool qualifies only with new evidence
// since the last draft, or if a person refused that draft.
func (r *runner) findForgeable(ctx context.Context) error {
	r.jobs = nil
	if r.o.Forge == nil || len(r.o.Workspace.Settings.Search.Reflect.Routes) == 0 || !slices.ContainsFunc(r.run.Tools, advised) {
		return nil
	}
	past, err := r.forgeNotes(ctx)
	if err != nil {
		return err
	}
	r.restoreDrafts(past)
	for _, a := range r.agents {
		if a.Adapter.Kind != workspace.KindBuiltin || a.Adapter.Model == workspace.ModelHeuristic {
			continue
		}
		defs, err := r.o.Forge.Tools(a)
		if err != nil {
			return fmt.Errorf("reading the tools of %s: %w", a.ID, err)
		}
		jobs := 0
		for i := range r.run.Tools {
			n := &r.run.Tools[i]
			at := slices.IndexFunc(defs, func(d authored.Definition) bool { return d.Name == n.Tool })
			if n.Agent != a.ID || !advised(*n) || at < 0 || n.Draft != nil {
				continue
			}
			job := forgeJob{agent: a, note: i, def: defs[at]}
			why, err := r.unforgeable(ctx, &job, past)
			if err != nil {
				return err
			}
			if why == "" && jobs == forgedTools {
				why = fmt.Sprintf("not drafted tonight: at most %d tools per agent are drafted in one night", forgedTools)
			}
			if why != "" {
				n.Draft = &archive.ToolDraft{Text: why}
				continue
			}
			jobs++
			r.jobs = append(r.jobs, job)
		}
	}
	return nil
}

// restoreDrafts adds the drafts in the ledger to the notes of a resumed run. The ledger
// does not contain a draft that was interrupted; that draft starts again.
func (r *runner) restoreDrafts(past []pastForge) {
	for i := range r.run.Tools {
		n := &r.run.Tools[i]
		n.Draft = nil
		for _, p := range past {
			if p.run == r.run.ID && p.Agent == n.Agent && p.Tool == n.Tool {
				n.Draft = &p.ToolDraft
			}
		}
	}
}

// advised reports whether the advice is to change the tool.
func advised(n archive.ToolNote) bool { return n.Remedy != "" && n.Remedy != experience.Retain }

// evidenceOf counts the calls on which the advice is based.
func evidenceOf(n archive.ToolNote) int { return n.Referrals + n.Weak + n.Invalid }

// pastForge is a note together with the id of the run that recorded it.
type pastForge struct {
	run string
	ForgeNote
}

func (r *runner) forgeNotes(ctx context.Context) ([]pastForge, error) {
	var out []pastForge
	for e, err := range r.o.Archive.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the notes on tools: %w", err)
		}
		n := pastForge{run: e.Subject}
		if e.Kind == ForgeKind && json.Unmarshal(e.Data, &n.ForgeNote) == nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// unforgeable returns the reason why a tool must not be rewritten, or "" if it can be.
// unforgeable also adds the earlier refused drafts to the job.
func (r *runner) unforgeable(ctx context.Context, job *forgeJob, past []pastForge) (string, error) {
	n := r.run.Tools[job.note]
	var last *pastForge
	refused := false // whether a person has refused the last draft
	for i := range past {
		p := &past[i]
		if p.Agent != n.Agent || p.Tool != n.Tool {
			continue
		}
		last, refused = p, false
		if p.Proposal == "" {
			if p.Source != "" {
				job.attempts = append(job.attempts, toolwriter.Attempt{Source: p.Source, Reason: p.Reason})
			}
			continue
		}
		prop, err := r.o.Archive.Proposal(ctx, p.Proposal)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("reading proposal %s: %w", p.Proposal, err)
		}
		if review.Undecided(prop.State) && prop.State != archive.GateFailed {
			return prop.ID + " awaits a decision", nil
		}
		if a, ok := refusedDraft(prop); ok {
			job.attempts = append(job.attempts, a)
			refused = prop.Decision != nil && prop.Decision.Reason != ""
		}
	}
	slices.Reverse(job.attempts)
	var err error
	if job.killed, err = r.unnoted(ctx, n, past); err != nil {
		return "", err
	}
	if job.killed != nil || last == nil || refused {
		return "", nil
	}
	fresh := evidenceOf(n) - last.Evidence
	if fresh < 0 { // the tool's record was lost and started over
		fresh = evidenceOf(n)
	}
	if fresh >= freshEvidence {
		return "", nil
	}
	return "not drafted again, because there is no new evidence since run " + last.run + ": " + last.Text, nil
}

// refusedDraft returns the draft in a proposal that gates or a person refused, with the
// reasons.
func refusedDraft(p archive.ProposalRecord) (toolwriter.Attempt, bool) {
	var a toolwriter.Attempt
	if p.State != archive.GateFailed && p.State != archive.Rejected && p.State != archive.RolledBack {
		return a, false
	}
	var why []string
	if d := p.Decision; d != nil && d.Reason != "" {
		why = append(why, "a person, "+d.Action+": "+d.Reason)
	}
	for _, g := range p.Gates {
		if g.Verdict == "failed" || g.Verdict == "flagged" {
			why = append(why, "gate "+g.Gate+", "+g.Verdict+": "+g.Evidence)
		}
	}
	for _, f := range p.Files {
		if strings.HasSuffix(f.Path, ".star") {
			a.Source = string(f.New)
		}
	}
	a.Reason = cmp.Or(strings.Join(why, "; "), string(p.State))
	return a, true
}

// forgings forecasts the model calls for the tools that are to be rewritten.
func (r *runner) forgings() []Forging {
	var out []Forging
	reflect := r.o.Workspace.Settings.Search.Reflect
	for _, job := range r.jobs {
		if job.killed != nil { // the tool's proposal exists, so no calls are needed
			continue
		}
		route := reflect.Routes[0]
		f := Forging{Agent: job.agent.ID, Tool: job.def.Name, Route: route.Name, Calls: forgeCalls, Tokens: forgeTokens, USD: least(reflect.MaxUSD, route.MaxUSD, r.o.Budget.USD)}
		f.Text = fmt.Sprintf("%s %s: at most %d calls to %s, and none after %d tokens", r.run.Tools[job.note].Remedy, f.Tool, f.Calls, f.Route, f.Tokens)
		if f.USD > 0 {
			f.Text += ", within " + number.Dollars(f.USD)
		}
		out = append(out, f)
	}
	return out
}

// least returns the smallest of the bounds that are set, or 0 if none is.
func least(bounds ...float64) float64 {
	out := 0.
	for _, b := range bounds {
		if b > 0 && (out == 0 || b < out) {
			out = b
		}
	}
	return out
}

// forge has the tools rewritten after all agents are done, and returns the proposals. If
// the night was stopped or its time is up, forge starts no such work. A failure here does
// not affect the night; a later night resumes unfinished work on a tool.
func (r *runner) forge(ctx context.Context, ended error) []archive.ProposalRecord {
	if ended != nil {
		return nil
	}
	var out []archive.ProposalRecord
	r.budget.Limit(r.o.Budget.USD, r.end)
	for _, job := range r.jobs {
		if r.o.Drain.Err() != nil {
			break
		}
		note, p, err := r.forgeOne(ctx, job)
		switch {
		case err != nil && (errors.Is(err, night.ErrInterrupted) || r.stopped(ctx) != nil):
			note.Text = "it was interrupted"
		case errors.Is(err, bench.ErrBudget):
			note.Text = "the budget or the deadline of the run left no room for a draft"
		case err != nil:
			note.Text = "no draft: " + text.OneLine(err.Error())
			r.o.Log.Warn("a tool was not rewritten", "agent", job.agent.ID, "tool", job.def.Name, "error", err)
		default:
			if err := r.note(context.WithoutCancel(ctx), ForgeKind, note); err != nil {
				r.o.Log.Warn("the note on a rewritten tool was not stored", "error", err)
			}
		}
		draft := note.ToolDraft
		r.run.Tools[job.note].Draft = &draft
		if p != nil && review.Undecided(p.State) && p.State != archive.GateFailed {
			out = append(out, *p)
		}
	}
	return out
}

// forgeOne asks a language model to rewrite one tool. After a refusal it requests another
// draft and gives the reason, such as the output of the draft's tests.
func (r *runner) forgeOne(ctx context.Context, job forgeJob) (note ForgeNote, p *archive.ProposalRecord, err error) {
	n := r.run.Tools[job.note]
	route := r.o.Workspace.Settings.Search.Reflect.Routes[0]
	note = ForgeNote{Agent: n.Agent, Tool: n.Tool, Remedy: n.Remedy, Evidence: evidenceOf(n), ToolDraft: archive.ToolDraft{Route: route.Name}}
	if job.killed != nil {
		p, err = r.takeUp(ctx, job, &note)
		return note, p, err
	}
	left, err := r.forgeRoom(ctx, n.Agent)
	if err != nil {
		return note, nil, err
	}
	e, err := r.o.Archive.Experience(ctx, n.Agent)
	if err != nil {
		return note, nil, fmt.Errorf("reading the results of the live turns of %s: %w", n.Agent, err)
	}
	m := r.shownOf(&e, job)
	asked, done, err := r.o.Author(job.agent)
	if err != nil {
		return note, nil, fmt.Errorf("opening the route %s: %w", route.Name, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	w := toolwriter.Writer{Model: r.budget.Within(asked), Route: route.Name}
	for try := range forgeCalls {
		if !left.allows(note.ToolDraft) {
			break
		}
		reply, err := w.Write(ctx, m, (r.run.Seed+int64(try))&(1<<53-1))
		note.Calls++
		note.Usage = note.Usage.Plus(reply.Usage)
		if err != nil {
			return note, nil, err
		}
		if reply.Draft == nil {
			if note.Text = "nothing was drafted: " + reply.Reason; !reply.Malformed {
				return note, nil, nil
			}
			m.Refused = reply.Reason
			continue
		}
		why, err := r.examineDraft(ctx, job, *reply.Draft)
		if err != nil {
			return note, nil, err
		}
		if why == "" {
			p, err := r.proposeDraft(ctx, job, *reply.Draft, reply.Rationale, &note)
			return note, p, err
		}
		note.Text = text.Clip(fmt.Sprintf("the drafts of %s were refused; reason for the last refusal: %s", route.Name, text.OneLine(why)), maxForgeReason, text.Ellipsis)
		note.Source, note.Reason, m.Refused = reply.Draft.Source, text.Clip(why, maxForgeReason, text.Ellipsis), why
	}
	if note.Calls == 0 {
		return note, nil, fmt.Errorf("%w: search.reflect allows no further call", bench.ErrBudget)
	}
	return note, nil, nil
}

// shownOf returns the material that the author of a tool is given, without texts from
// conversations that became holdout tasks.
func (r *runner) shownOf(e *experience.Experience, job forgeJob) toolwriter.Material {
	n := r.run.Tools[job.note]
	shown := e.Withhold(r.held.Quoted)
	m := toolwriter.Material{Tool: job.def, Advice: shown.Advice(n.Tool), Signatures: slices.Concat(shown.SignaturesOf(n.Tool), n.Champion), Attempts: job.attempts}
	m.Advice.Remedy, m.Advice.Reason = n.Remedy, n.Reason
	same := func(a, b experience.Cluster) bool { return a.Referrals == b.Referrals }
	if !slices.EqualFunc(m.Advice.Clusters, e.Advice(n.Tool).Clusters, same) { // the reason may quote an axis of a withheld cluster
		m.Advice.Reason = "the lessons of its live turns advise it"
	}
	return m
}

// examineDraft runs the tests of a draft. If the draft is refused, it returns the reason,
// which is passed to the draft's author.
func (r *runner) examineDraft(ctx context.Context, job forgeJob, d authored.Definition) (string, error) {
	defs, err := r.o.Forge.Tools(job.agent)
	if err != nil {
		return "", err
	}
	if d.Name != job.def.Name && slices.ContainsFunc(defs, func(o authored.Definition) bool { return o.Name == d.Name }) {
		return "the draft has the same name as another tool, " + d.Name, nil
	}
	report := r.o.Forge.Check(ctx, d)
	switch {
	case report.Problem != "":
		return "", errors.New("the draft could not be tested: " + report.Problem)
	case !report.Passed():
		return "the draft fails its tests: " + report.Failures(), nil
	}
	return "", nil
}

// proposeDraft makes a proposal from a draft that passed its tests.
func (r *runner) proposeDraft(ctx context.Context, job forgeJob, d authored.Definition, rationale string, note *ForgeNote) (*archive.ProposalRecord, error) {
	n := r.run.Tools[job.note]
	what := "a new version of " + job.def.Name
	if d.Name != job.def.Name {
		what = "the tool " + d.Name + " beside " + job.def.Name
	}
	note.Text = fmt.Sprintf("%s passes its %d tests", what, len(d.Tests))
	note.Source, note.Reason = "", ""
	why := forgeReason(n.Remedy, job.def.Name) + fmt.Sprintf("%s; a language model (route %s) drafted %s, which has not been measured: %s", n.Reason, note.Route, what, rationale)
	p, err := r.o.Forge.Propose(ctx, job.agent, r.run.ID, d, why)
	var refused *review.RefusedError
	if errors.As(err, &refused) {
		note.Text += "; no proposal was made: " + refused.Text
		note.Source, note.Reason = d.Source, refused.Text
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	note.Proposal, note.State = p.ID, p.State
	return &p, nil
}

// allowance is what remains of search.reflect's bounds for calls about an agent's tools; 0
// means no bound.
type allowance struct {
	calls, used int
	usd, paid   float64
	tokens      int64
	// most is the maximum total number of tokens of all the night's calls; spent is the
	// number of tokens already used.
	most, spent int64
}

// allows reports whether another call about a tool may begin, given the calls already made
// for its draft.
func (l allowance) allows(d archive.ToolDraft) bool {
	return (l.calls == 0 || l.used+d.Calls < l.calls) && (l.usd == 0 || l.paid+d.Usage.CostUSD < l.usd) &&
		(l.most == 0 || l.spent+d.Usage.InputTokens+d.Usage.OutputTokens < l.most) &&
		l.tokens+d.Usage.InputTokens+d.Usage.OutputTokens < forgeTokens
}

// forgeRoom returns the part of search.reflect's bounds that neither the search nor the
// work on earlier tools has used.
func (r *runner) forgeRoom(ctx context.Context, agentID string) (allowance, error) {
	reflect := r.o.Workspace.Settings.Search.Reflect
	route := reflect.Routes[0]
	l := allowance{calls: int(least(float64(reflect.MaxCalls), float64(route.MaxCalls))), usd: least(reflect.MaxUSD, route.MaxUSD), most: int64(least(float64(reflect.MaxTokens), float64(route.MaxTokens)))}
	for e, err := range r.o.Archive.Ledger(ctx, 1) {
		if err != nil {
			return l, fmt.Errorf("reading the drafts of the run: %w", err)
		}
		var d night.DraftNote
		if e.Kind == night.DraftKind && e.Subject == r.run.ID && json.Unmarshal(e.Data, &d) == nil && d.Agent == agentID {
			l.used++
			l.paid += d.Usage.CostUSD
			l.spent += d.Usage.InputTokens + d.Usage.OutputTokens
		}
	}
	for _, n := range r.run.Tools {
		if n.Agent == agentID && n.Draft != nil {
			l.used += n.Draft.Calls
			l.paid += n.Draft.Usage.CostUSD
			l.tokens += n.Draft.Usage.InputTokens + n.Draft.Usage.OutputTokens
			l.spent += n.Draft.Usage.InputTokens + n.Draft.Usage.OutputTokens
		}
	}
	return l, nil
}
