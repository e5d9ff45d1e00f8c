package archive

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// The forms of names and ids in a record. These become file names, refs and arguments of
// programs. Any of them may be empty, because older records lack some.
var (
	agentForm  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$`)
	runForm    = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]{0,127})?$`)
	configForm = regexp.MustCompile(`^[A-Za-z0-9]{0,64}$`)
	commitForm = regexp.MustCompile(`^[0-9a-z]{0,64}$`)
	refForm    = regexp.MustCompile(`^(refs/[A-Za-z0-9][A-Za-z0-9_/-]{0,199})?$`)
)

// FieldError means that a field of a stored or imported record has a value that no version
// of evolve writes. It wraps ErrCorrupt.
type FieldError struct {
	// Record names the record, such as "proposal P1", and Field the JSON field.
	Record, Field string
	Value         string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: field %s cannot be %.80q", e.Record, e.Field, e.Value)
}

func (e *FieldError) Unwrap() error { return ErrCorrupt }

// fieldsOf checks the fields of a record and keeps the error about the first bad field.
type fieldsOf struct {
	record string
	bad    error
}

// of sets the name by which errors refer to the record, and checks the record's agent and
// run.
func (f *fieldsOf) of(agentID, run, format string, args ...any) {
	f.record = fmt.Sprintf(format, args...)
	f.form("agent", agentForm, agentID)
	f.form("run", runForm, run)
}

func (f *fieldsOf) refuse(field string, value any) {
	if f.bad == nil {
		f.bad = &FieldError{f.record, field, fmt.Sprint(value)}
	}
}

func (f *fieldsOf) form(field string, form *regexp.Regexp, values ...string) {
	for _, v := range values {
		if !form.MatchString(v) {
			f.refuse(field, v)
		}
	}
}

func (f *fieldsOf) times(field string, list ...time.Time) {
	for _, t := range list {
		if !t.IsZero() && (t.Year() < 1970 || t.Year() > 2261) {
			f.refuse(field, t)
		}
	}
}

func (f *fieldsOf) finite(field string, list ...float64) {
	for _, v := range list {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			f.refuse(field, v)
		}
	}
}

// oneOf records an error for a value that is neither empty nor listed.
func oneOf[T ~string](f *fieldsOf, field string, value T, list ...T) {
	if value != "" && !slices.Contains(list, value) {
		f.refuse(field, value)
	}
}

func proposalStates() []ProposalState {
	return []ProposalState{Drafted, Gated, Awaiting, HumanLane, GateFailed, Approved, Adopted, RolledBack, Rejected, Expired, Superseded}
}

func confirmStates() []stats.State {
	return []stats.State{stats.Open, stats.Proven, stats.HereOnly, stats.Harmful, stats.Vetoed, stats.Parked, stats.Trade}
}

// checkRecord returns an error if a field of a decoded record has a value that no version
// of evolve writes. It accepts any record of a type that it does not list.
func checkRecord(record any) error {
	f := &fieldsOf{}
	switch r := record.(type) {
	case *Run:
		f.record = "run " + r.ID
		f.form("id", runForm, r.ID)
		oneOf(f, "state", r.State, RunRunning, RunDone, RunInterrupted, RunFailed)
		f.form("agents", agentForm, r.Agents...)
		f.times("started, ended, until or since", r.Started, r.Ended, r.Until, r.Since)
		f.finite("budget_usd or patch_usd", r.BudgetUSD, r.PatchUSD)
		for _, n := range r.Tools {
			f.form("tools.agent", agentForm, n.Agent)
			f.times("tools.first or tools.last", n.First, n.Last)
			for _, c := range n.Clusters {
				f.times("tools.clusters", c.First, c.Last)
			}
			for _, g := range slices.Concat(n.Signatures, n.Champion) {
				f.times("tools.signatures", g.First, g.Last)
			}
		}
	case *AgentPlan:
		f.of(r.Agent, r.Run, "plan of run %s", r.Run)
		f.form("champion, default or against", configForm, string(r.Champion), string(r.Default), string(r.Against))
		f.form("commit or code_commit", commitForm, r.Commit, r.CodeCommit)
	case *AgentResult:
		f.result(r)
	case *Variant:
		f.of(r.Agent, r.Run, "variant %d of %q", r.Number, r.Agent)
		f.form("id", configForm, string(r.ID))
		f.times("time", r.Time)
	case *ProposalRecord:
		f.proposal(r)
	case *DecisionRecord:
		f.record = "decision on " + r.Proposal
		oneOf(f, "action", r.Action, "approve", "reject", "rollback")
		f.form("commit", commitForm, r.Commit)
		f.times("time", r.Time)
	case *Exposure:
		f.of(r.Agent, r.Run, "exposure of run %s", r.Run)
		f.times("time", r.Time)
	case *Candidate:
		f.of(r.Agent, r.Run, "candidate %d of %q", r.Number, r.Agent)
		f.form("runs", runForm, r.Runs...)
		f.form("variant or champion", configForm, string(r.Variant), string(r.Champion))
		oneOf(f, "state", r.State, confirmStates()...)
		f.times("time", r.Time)
	case *Mutation:
		f.of(r.Agent, r.Run, "mutation of run %s", r.Run)
	case *ChangeRequestRecord:
		f.record = "change request " + r.ID
		oneOf(f, "state", r.State, RequestOpen, RequestApproved, RequestDenied)
		f.times("created or last", r.Created, r.Last)
	case *TurnRecord:
		f.record = "turn " + r.ID
		f.times("created", r.Created)
	case *AutonomyRecord:
		f.autonomy(r)
	case *ToolHealth:
		f.of(r.Agent, "", "health of tool %s", r.Tool)
	case *sessionLine:
		f.of(r.Agent, "", "session %s", r.Name)
	case *experienceLine:
		f.of(r.Agent, "", "experience of agent %s", r.Agent)
		f.experience(&r.Experience)
	case *experience.Experience:
		f.record = "experience"
		f.experience(r)
	case *decisionLine:
		return checkRecord(&r.Decision)
	case *bench.Evaluation:
		f.evaluation(r)
	}
	return f.bad
}

// decodeSound decodes a document and checks its fields.
func decodeSound(data []byte, into any) error {
	if err := decodeDocument(data, into); err != nil {
		return err
	}
	return checkRecord(into)
}

// checkForeign does what checkRecord does, for an imported record. In addition, it checks
// the agent of a turn; in a turn of this archive, the agent may be any text.
func checkForeign(record any) error {
	if t, ok := record.(*TurnRecord); ok {
		f := &fieldsOf{}
		if f.of(t.Agent, "", "turn %s", t.ID); f.bad != nil {
			return f.bad
		}
	}
	return checkRecord(record)
}

func (f *fieldsOf) experience(e *experience.Experience) {
	if err := e.Valid(); err != nil && f.bad == nil {
		f.bad = fmt.Errorf("%w: %s: %w", ErrCorrupt, f.record, err)
	}
}

func (f *fieldsOf) autonomy(r *AutonomyRecord) {
	f.of(r.Agent, "", "autonomy of agent %s", r.Agent)
	if !r.Level.Valid() || r.Agent == "" {
		f.refuse("level", int(r.Level))
	}
	for _, c := range r.Changes {
		if !c.From.Valid() || !c.To.Valid() {
			f.refuse("changes[].from or to", fmt.Sprint(int(c.From), int(c.To)))
		}
		f.times("changes[].time", c.Time)
	}
}

func (f *fieldsOf) proposal(p *ProposalRecord) {
	f.record = "proposal " + p.ID
	oneOf(f, "kind", p.Kind, KindConfig, KindPatch, KindTool, KindMemory, KindAutonomy)
	oneOf(f, "state", p.State, proposalStates()...)
	oneOf(f, "imported", p.Imported, proposalStates()...)
	if p.Kind != KindPatch { // the agent of a patch is its author, who may be a person
		f.form("agent", agentForm, p.Agent)
	}
	f.form("run", runForm, p.Run)
	f.form("ruled_by", runForm, p.RuledBy)
	f.form("variant or champion", configForm, string(p.Variant), string(p.Champion))
	f.form("commit or adopted_commit", commitForm, p.Commit, p.AdoptedCommit)
	f.form("ref", refForm, p.Ref)
	f.times("created", p.Created)
	for _, g := range p.Gates {
		oneOf(f, "gates[].verdict", g.Verdict, "passed", "failed", "flagged", "not_run")
	}
	if (p.Kind == KindAutonomy) != (p.Autonomy != nil) {
		f.refuse("autonomy", p.Kind)
	}
	if l := p.Autonomy; l != nil && (!l.From.Valid() || l.To != l.From+1 || !l.To.Valid()) {
		f.refuse("autonomy.to", int(l.To))
	}
	if r := p.Rests; r != nil {
		f.form("rests.runs", runForm, r.Runs...)
		f.form("rests.against", configForm, string(r.Against))
	}
	if d := p.Decision; d != nil {
		oneOf(f, "decision.action", d.Action, "approve", "reject", "rollback")
		f.times("decision.time", d.Time)
		f.form("decision.commit", commitForm, d.Commit)
	}
	if err := checkFiles(p.Files); err != nil && f.bad == nil {
		f.bad = fmt.Errorf("%w: %s: %w", ErrCorrupt, f.record, err)
	}
}

func (f *fieldsOf) result(r *AgentResult) {
	f.of(r.Agent, r.Run, "result of run %s", r.Run)
	f.form("winner", configForm, string(r.Winner))
	oneOf(f, "verdict", r.Verdict, Adopt, Keep, Undecided, Trade, Waits, Refused)
	if m := r.Search.MetricFirst; m != nil {
		f.form("search.metric_first.variant", configForm, string(m.Variant))
		f.form("search.metric_first.over", configForm, string(m.Over))
	}
	for _, c := range r.Refused {
		f.form("refused[].variant", configForm, c.Variant)
	}
	for _, c := range r.Finalist {
		f.form("finalists[].variant", configForm, string(c.Variant))
		f.form("finalists[].runs", runForm, c.Runs...)
		if c.Ruling != nil {
			oneOf(f, "finalists[].ruling.state", c.Ruling.State, confirmStates()...)
			oneOf(f, "finalists[].ruling.claim", c.Ruling.Claim, stats.TheseTasks, stats.NewTasks)
		}
	}
	if w := r.Watch; w != nil {
		f.watch(w)
	}
	for _, id := range r.Proposals {
		if _, ok := parseID('P', id); !ok || strings.ToUpper(id) != id {
			f.refuse("proposals", id)
		}
	}
}

func (f *fieldsOf) watch(w *Watch) {
	var changes []ActiveChange
	if w.Fall != nil {
		changes = append(changes, w.Fall.ActiveChange)
	}
	if w.Changed != nil {
		changes = append(changes, *w.Changed)
	}
	for _, c := range changes {
		f.form("watch (run)", runForm, c.BeforeRun, c.AfterRun)
		f.times("watch (time)", c.Last, c.Since)
		if c.Commit != nil {
			f.form("watch (commit)", commitForm, c.Commit.Hash)
			f.times("watch (commit time)", c.Commit.Time)
		}
	}
	if a := w.Adopted; a != nil {
		if _, ok := parseID('P', a.Proposal); !ok {
			f.refuse("watch.adopted.proposal", a.Proposal)
		}
		f.times("watch.adopted.since", a.Since)
	}
}

func (f *fieldsOf) evaluation(e *bench.Evaluation) {
	f.of(e.Agent, e.Run, "evaluation %d of run %s", e.Seq, e.Run)
	f.form("variant", configForm, string(e.Variant))
	oneOf(f, "split", e.Split, bench.Search, bench.Holdout, bench.Aside)
	oneOf(f, "stage", e.Stage, bench.StageSearch, bench.StageBaseline, bench.StageAA, bench.StageConfirm, bench.StageAblate, bench.StageBench)
	oneOf(f, "outcome", e.Outcome, agent.Outcomes()...)
	f.finite("score", e.Score)
	f.finite("usage.cost_usd", e.Usage.CostUSD)
	f.finite("judge.cost_usd", e.Judge.CostUSD)
	if e.Latency < 0 || e.Seq < 0 || e.Repeat < 0 {
		f.refuse("latency_ns, seq or repeat", min(int64(e.Latency), e.Seq, int64(e.Repeat)))
	}
	if e.Stage == bench.StageConfirm && e.Seq < bench.ConfirmSeq {
		f.refuse("seq of the confirmation", e.Seq)
	}
	if e.Judging < 0 {
		f.refuse("judging_ns", int64(e.Judging))
	}
	f.times("time", e.Time)
}
