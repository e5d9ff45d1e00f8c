package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/grade"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/tempdir"
	"evolve/runtime/text"
)

// Unsearched is a target whose blocks a night should search but cannot.
type Unsearched struct {
	Target  string `json:"target"`
	Problem string `json:"problem"`
	// Err is the fault of the machine that caused the problem; it is nil for a fault of the
	// target.
	Err error `json:"-"`
}

// Code holds the targets of patches whose marked blocks are searched like the configs of
// agents.
type Code struct {
	// Found holds the targets that can be searched, by the ids of their agents.
	Found map[string]*coding.Prospect
	// Unsearched lists the targets that cannot be searched.
	Unsearched []Unsearched
}

// Lexical returns the blocks of a target that are rewritten without knowledge of their
// language; it returns nil for an agent.
func (c *Code) Lexical(agent string) []string {
	if p := c.Found[agent]; p != nil {
		return p.Lexical
	}
	return nil
}

// Own returns the id of the agent whose own code is the target. It returns "" for any
// other target, and for the id of an agent.
func (c *Code) Own(target string) string {
	if p := c.Found[target]; p != nil {
		return p.Own()
	}
	return ""
}

// Uncommitted describes the files of a target that differ from the commit; it returns ""
// if there are none, or if the target is an agent.
func (c *Code) Uncommitted(target string) string {
	if p := c.Found[target]; p != nil {
		return p.Uncommitted()
	}
	return ""
}

// AddCode finds the targets whose blocks should be searched. For each target that can be
// searched, it adds an agent to a copy of the workspace, after the existing agents. The
// suite of such an agent consists of the cases of the target's scoring command; if the
// target is an agent's own code, it gets that agent's suites instead. AddCode builds and
// scores, in the sandbox, code that no earlier run has scored. It stores the values in
// the workspace's state, unless look is true: then it only reads the state.
func (o *Options) AddCode(ctx context.Context, look bool) (err error) {
	if o.Patches == nil {
		return nil
	}
	o.Code.Found = map[string]*coding.Prospect{}
	begun, rev := o.Now(), o.Patches
	defer func() { o.Looked = o.Now().Sub(begun) }()
	if look {
		desk := *rev
		var scratch *tempdir.Folder
		if scratch, err = tempdir.Make("code"); err != nil {
			return fmt.Errorf("creating the folder for code: %w", err)
		}
		defer func() { err = errors.Join(err, scratch.Remove()) }()
		desk.Scratch, rev = scratch.Path, &desk
	}
	kept := coding.Kept{Folder: o.codeFolder(), ReadOnly: look, Scrub: o.Scrub, Bound: o.lookBound(begun)}
	for _, t := range o.Patches.Targets {
		if t.Scoring == nil {
			continue
		}
		if _, taken := o.Workspace.Agent(t.Name); taken || o.Workspace.Suites[t.Name] != nil {
			o.Code.Unsearched = append(o.Code.Unsearched, Unsearched{Target: t.Name, Problem: "an agent or a suite has the same name: rename the target"})
			continue
		}
		p, err := coding.Look(ctx, rev, o.Workspace, t, coding.Opener{Agent: o.Open, Version: o.OpenCode}, grade.Rules(), kept)
		var problem *coding.Problem
		if errors.As(err, &problem) {
			o.Code.Unsearched = append(o.Code.Unsearched, Unsearched{Target: t.Name, Problem: text.OneLine(problem.Text)})
			continue
		}
		var tools *gotest.NoToolchainError
		if errors.As(err, &tools) { // the agents need no Go toolchain
			o.Code.Unsearched = append(o.Code.Unsearched, Unsearched{Target: t.Name, Problem: text.OneLine(tools.Error()), Err: tools})
			continue
		}
		if err != nil {
			return fmt.Errorf("target %s: %w", t.Name, err)
		}
		if len(o.Code.Found) == 0 {
			w := *o.Workspace
			w.Agents, w.Suites = slices.Clone(w.Agents), maps.Clone(w.Suites)
			o.Workspace = &w
		}
		o.Code.Found[t.Name] = p
		o.Workspace.Agents = append(o.Workspace.Agents, *p.Agent)
		if own, ok := o.Workspace.Agent(p.Own()); ok {
			own.SearchedAs = t.Name
		} else {
			o.Workspace.Suites[t.Name] = p.Suite
		}
	}
	return nil
}

// codeFolder returns the folder in which the findings on the targets' code are stored.
func (o *Options) codeFolder() string { return filepath.Join(o.Workspace.StateDir(), "code") }

// lookBound returns the time that [coding.Look] may take for one target. If all agents
// and targets get equal shares of the night's time, it is half of the target's share; the
// other half is left for the search.
func (o *Options) lookBound(now time.Time) coding.Bound {
	stop, _ := o.stopAt(now, 0)
	if stop.IsZero() {
		return coding.Bound{}
	}
	parts := len(o.Agents)
	if parts == 0 {
		parts = len(o.Workspace.Agents)
		for _, t := range o.Patches.Targets {
			if t.Scoring != nil {
				parts++
			}
		}
	}
	return coding.Bound{
		Time: max(stop.Sub(now)/time.Duration(2*parts), time.Second), Of: ", half of the target's share of the night's time",
		Hint: ", or give the night more time (budget.time, until)",
	}
}

// RetryCode makes the next night retry the targets that took too long in this night. It
// is called when this night is over or cannot begin.
func (o *Options) RetryCode() error { return coding.Retry(o.codeFolder()) }

// Remarks returns remarks on the targets of a night, for a person to read before the night
// begins.
func (o *Options) Remarks() []string {
	var out []string
	for _, u := range o.unsearched() {
		out = append(out, fmt.Sprintf("the blocks of target %s are not searched: %s", text.Visible(u.Target), text.Visible(u.Problem)))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Code.Found)) {
		p := o.Code.Found[name]
		words := []string{p.Uncommitted()}
		if !o.SearchOnly() {
			words = append(words, p.Shortage(o.Workspace.Settings.Confirm))
		}
		for _, w := range words {
			if w != "" && o.asks(name) {
				out = append(out, fmt.Sprintf("target %s: %s", text.Visible(name), w))
			}
		}
	}
	return out
}

// unsearched returns the targets that the night concerns and whose blocks cannot be
// searched.
func (o *Options) unsearched() []Unsearched {
	var out []Unsearched
	for _, u := range o.Code.Unsearched {
		if o.asks(u.Target) {
			out = append(out, u)
		}
	}
	return out
}

// asks reports whether the night concerns the agent or target called name.
func (o *Options) asks(name string) bool {
	return len(o.Agents) == 0 || slices.Contains(o.Agents, name)
}

// UnsearchedError reports targets whose blocks cannot be searched. It is returned if a
// run has nothing else to do, or if a plan lacks the targets. Its message has one line
// for each target.
type UnsearchedError struct{ Targets []Unsearched }

func (e *UnsearchedError) Error() string {
	list := make([]string, len(e.Targets))
	for i, u := range e.Targets {
		list[i] = fmt.Sprintf("the blocks of target %s cannot be searched: %s", text.Visible(u.Target), text.Visible(u.Problem))
	}
	return strings.Join(list, "\n")
}

// Unwrap returns the faults of the machine that caused the problems.
func (e *UnsearchedError) Unwrap() []error {
	var list []error
	for _, u := range e.Targets {
		if u.Err != nil {
			list = append(list, u.Err)
		}
	}
	return list
}

// Named returns err, except in two cases. If err is about an unknown agent name that is
// the name of an unsearched target, Named returns the problem of that target. If err is
// about a workspace without agents and there are unsearched targets, Named returns the
// problems of these targets.
func (c *Code) Named(err error) error {
	var unknown *UnknownAgentError
	switch {
	case errors.As(err, &unknown):
		for _, u := range c.Unsearched {
			if u.Target == unknown.Name {
				return &UnsearchedError{[]Unsearched{u}}
			}
		}
	case errors.Is(err, ErrNoAgents) && len(c.Unsearched) > 0:
		return &UnsearchedError{c.Unsearched}
	}
	return err
}

// open opens an agent or the versions of a target.
func (r *runner) open(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error) {
	p := r.o.Code.Found[a.ID]
	if p == nil {
		return r.o.Open(ctx, a, scratch)
	}
	building, free := r.cancelAtEnd(ctx)
	defer free()
	opened, err := p.Open(ctx, building, scratch)
	if err != nil {
		if building.Err() != nil {
			err = context.Cause(building)
		}
		return opened, err
	}
	opened.Agent = patient{opened.Agent, r.o.Drain, r.o.Sleep}
	if r.o.Author == nil || opened.Reflect != nil {
		return opened, nil
	}
	author, done, err := r.o.Author(a)
	if err != nil {
		return opened, errors.Join(fmt.Errorf("target %s: search.reflect: %w", a.ID, err), opened.Close())
	}
	remove := opened.Close
	opened.Reflect, opened.Close = author, func() error { return errors.Join(remove(), done()) }
	return opened, nil
}

// propose makes a proposal from a confirmed variant: a patch if the variant is a version of
// searched code, and otherwise a config.
func (r *runner) propose(ctx context.Context, a *workspace.Agent, d night.Draft) (night.Proposed, error) {
	if r.o.Code.Found[a.ID] != nil {
		return r.proposeConfirmed(ctx, a, d)
	}
	rec, err := r.o.Propose(ctx, a, review.Draft{Run: r.run.ID, Variant: d.Variant, Evidence: d.Evidence, Rationale: d.Rationale, Rests: d.Rests})
	if err != nil {
		return night.Proposed{}, err
	}
	return proposed(rec, d.Variant.ID), nil
}

// proposeConfirmed makes a patch from a confirmed version of searched code.
func (r *runner) proposeConfirmed(ctx context.Context, a *workspace.Agent, d night.Draft) (night.Proposed, error) {
	// A resumed run may have made this proposal before it was interrupted; the proposal's
	// gates are resumed later.
	for earlier, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return night.Proposed{}, fmt.Errorf("reading the proposals of the run: %w", err)
		}
		if variant, ok := earlier.VariantOf(a.ID); ok && earlier.Run == r.run.ID && earlier.Patch != nil && variant == d.Variant.ID {
			return proposed(earlier, d.Variant.ID), nil
		}
	}
	note, err := r.proposeVersion(ctx, a, r.run.ID, d.Variant, d.Rationale, d.Ruling)
	if err != nil {
		return night.Proposed{}, err
	}
	if note.Proposal == "" {
		return night.Proposed{Refused: &stats.Refusal{Variant: string(d.Variant.ID), Reason: text.Clip(text.OneLine(note.Text), maxRefusal, text.Ellipsis), NotRun: true}}, nil
	}
	rec, err := r.o.Archive.Proposal(ctx, note.Proposal)
	if err != nil {
		return night.Proposed{}, fmt.Errorf("reading proposal %s: %w", note.Proposal, err)
	}
	return proposed(rec, d.Variant.ID), nil
}

// proposeVersion proposes a version that a run confirmed, and records a note about the
// proposal.
func (r *runner) proposeVersion(ctx context.Context, a *workspace.Agent, run string, v archive.Variant, words string, ruling *stats.Ruling) (note archive.PatchNote, err error) {
	p, means := r.o.Code.Found[a.ID], ""
	if p.Own() == "" {
		words = stats.OfCases(words)
	}
	measured := ruling != nil && ruling.Metric != nil && ruling.Reference == nil // if so, the rationale (words) includes the means
	if !measured {
		if means, err = r.heldOutMeans(ctx, a, v.ID); err != nil {
			return note, err
		}
	}
	writers, err := r.writers(ctx, a.ID, v)
	if err != nil {
		return note, err
	}
	hunks, err := r.hunks(ctx, a, v)
	if err != nil {
		return note, err
	}
	if len(hunks) > 0 { // the hunks' code must not be part of the rationale, which is read for claims
		words += "; " + p.DescribeHunks(hunks)
	}
	refused, err := r.refusedAlike(ctx, a.ID, v.ID)
	if err != nil {
		return note, err
	}
	if refused != "" {
		words = before(refused, words)
	}
	s, err := p.Submission(run, v.Config, writers, means+words)
	if err != nil {
		return note, err
	}
	if ruling != nil {
		s.Confirmed = &archive.Confirmed{Lo: ruling.New.Lo, Difference: ruling.Difference, Means: strings.TrimSuffix(means, "; "), Further: ruling.Further}
		if measured {
			s.Confirmed.Means = ruling.Metric.Words() + ", on " + ruling.Metric.Size()
		}
	}
	note, err = r.proposePatch(ctx, archive.PatchNote{Target: a.ID, Origin: review.OriginBlocks, Text: words}, s)
	if err != nil {
		return note, err
	}
	if note.Proposal != "" {
		rec, err := r.o.Archive.Proposal(ctx, note.Proposal)
		if err != nil {
			return note, fmt.Errorf("reading proposal %s: %w", note.Proposal, err)
		}
		if refused := proposed(rec, v.ID).Refused; refused != nil && refused.Gate != "" {
			note.Text = before(fmt.Sprintf("the gate %q refused it: %s", refused.Gate, refused.Reason), note.Text)
		}
	}
	return note, r.note(context.WithoutCancel(ctx), PatchNoteKind, note)
}

// maxRefusal limits the evidence from a gate in the verdict of a night, in bytes.
const maxRefusal = 300

// proposed converts the record of a proposal to the result of the draft from which the
// proposal was made.
func proposed(rec archive.ProposalRecord, variant agent.ConfigID) night.Proposed {
	out := night.Proposed{ID: rec.ID}
	if rec.State != archive.GateFailed {
		return out
	}
	out.Refused = &stats.Refusal{Variant: string(variant), Proposal: rec.ID, Gate: "review", Reason: "the proposal did not pass its gates"}
	of := func(v gates.Verdict) int {
		return slices.IndexFunc(rec.Gates, func(g archive.GateVerdict) bool { return g.Verdict == string(v) })
	}
	switch failed, missing := of(gates.Failed), of(gates.NotRun); {
	case failed >= 0:
		out.Refused.Gate, out.Refused.Reason = rec.Gates[failed].Gate, rec.Gates[failed].Evidence
	case missing >= 0:
		out.Refused.Gate, out.Refused.Reason, out.Refused.NotRun = rec.Gates[missing].Gate, rec.Gates[missing].Evidence, true
	case rec.Patch != nil && rec.Patch.Review != nil:
		out.Refused.Reason = rec.Patch.Review.Reviewer + ": " + rec.Patch.Review.Reasons
	}
	out.Refused.Reason = text.Clip(text.OneLine(out.Refused.Reason), maxRefusal, text.Ellipsis)
	return out
}

// mostAncestors limits the number of a version's ancestors that are read.
const mostAncestors = 1000

// writers returns the language models that wrote a version or one of its ancestors, sorted.
func (r *runner) writers(ctx context.Context, agentID string, v archive.Variant) ([]string, error) {
	found, seen := map[string]bool{}, map[agent.ConfigID]bool{v.ID: true}
	for queue := []archive.Variant{v}; len(queue) > 0; queue = queue[1:] {
		if queue[0].Author != "" {
			found[queue[0].Author] = true
		}
		for _, id := range queue[0].Parents {
			if seen[id] || len(seen) > mostAncestors {
				continue
			}
			seen[id] = true
			parent, err := r.o.Archive.Variant(ctx, agentID, id)
			if errors.Is(err, archive.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("reading the ancestors of a version: %w", err)
			}
			queue = append(queue, parent)
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// heldOutMeans describes the mean values of the champion and of a version on the held-out
// cases on which both were scored on the present code; it returns "" if there are no such
// cases. It reads the runs of all nights, because a version that was measured against a
// waiting version was scored on a different night from the champion.
func (r *runner) heldOutMeans(ctx context.Context, a *workspace.Agent, variant agent.ConfigID) (string, error) {
	runs, err := r.runsOn(ctx, a)
	if err != nil {
		return "", err
	}
	values, err := r.valuesOf(ctx, a, bench.Holdout, runs, a.Champion.ID(), variant)
	if err != nil {
		return "", err
	}
	var n, before, after float64
	var kind metrics.Value
	was := values[a.Champion.ID()]
	for _, task := range slices.Sorted(maps.Keys(was)) { // in a fixed order, so that sums are always rounded alike
		if now, both := values[variant][task]; both {
			n, before, after, kind = n+1, before+was[task].Value, after+now.Value, was[task]
		}
	}
	if n == 0 {
		return "", nil
	}
	unit := ""
	if kind.Unit != "" {
		unit = " " + kind.Unit
	}
	return fmt.Sprintf("%s %.4g → %.4g%s, the means of %.0f held-out %ss; ", kind.Metric, before/n, after/n, unit, n, r.o.Code.Found[a.ID].Cases()), nil
}

// valuesOf returns the values of versions on the search or holdout cases in the given runs,
// by version and case. A version that was evaluated but has no value has an entry without
// cases.
func (r *runner) valuesOf(ctx context.Context, a *workspace.Agent, side bench.Split, runs []string, ids ...agent.ConfigID) (map[agent.ConfigID]map[string]metrics.Value, error) {
	if err := r.o.Archive.Flush(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	p, values := r.o.Code.Found[a.ID], map[agent.ConfigID]map[string]metrics.Value{}
	for _, run := range runs {
		for e, err := range r.o.Archive.Evaluations(ctx, run, a.ID) {
			if err != nil {
				return nil, fmt.Errorf("reading the values of %s: %w", a.ID, err)
			}
			if e.Split != side || !e.Scored || !slices.Contains(ids, e.Variant) {
				continue
			}
			if values[e.Variant] == nil {
				values[e.Variant] = map[string]metrics.Value{}
			}
			of := values[e.Variant]
			if _, known := of[e.Task]; known { // the latest night counts
				continue
			}
			if v, ok := p.Value(&e); ok {
				of[e.Task] = v
			}
		}
	}
	return values, nil
}

// hunks returns the separate effect of each hunk of a version, over all nights on the
// present code.
func (r *runner) hunks(ctx context.Context, a *workspace.Agent, v archive.Variant) ([]coding.Hunk, error) {
	parts := r.o.Code.Found[a.ID].Parts(a.Champion, v.Config)
	if len(parts) == 0 {
		return nil, nil
	}
	runs, err := r.runsOn(ctx, a)
	if err != nil {
		return nil, err
	}
	base := a.Champion.ID()
	found, err := r.valuesOf(ctx, a, bench.Search, runs, append(coding.HunkVersions(parts), base, v.ID)...)
	if err != nil {
		return nil, err
	}
	values := coding.Values{}
	for id, of := range found {
		values[id] = map[string]float64{}
		for name, v := range of {
			values[id][name] = v.Value
		}
	}
	return coding.Hunks(parts, base, v.ID, values), nil
}

// runsOn returns the ids of the runs on the present code.
func (r *runner) runsOn(ctx context.Context, a *workspace.Agent) ([]string, error) {
	var out []string
	for run, err := range r.o.Archive.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the runs: %w", err)
		}
		plan, err := r.o.Archive.Plan(ctx, run.ID, a.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("reading the plan of run %s: %w", run.ID, err)
		}
		if err == nil && plan.AgentHash == a.Hash {
			out = append(out, run.ID)
		}
	}
	return out, nil
}
