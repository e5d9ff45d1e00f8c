package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/gates/review"
	"evolve/mutate/patchwriter"
	"evolve/patch/diff"
	"evolve/runtime/agent"
	rtext "evolve/runtime/text"
)

// mostFailures is the maximum number of the champion's failures shown to the model that
// writes patches.
const mostFailures = 5

// write asks a model for a patch. The model is given failures of an agent's champion on
// the search tasks of this run. The targets take turns: the sum of the run's number and
// turn selects the target. If both of the model's answers are refused, they count as one
// attempt.
func (r *runner) write(ctx context.Context, agentID string, turn int) (archive.PatchNote, error) {
	desk := r.o.Patches
	if r.o.Writer == nil || len(desk.Targets) == 0 {
		return archive.PatchNote{}, nil
	}
	note := archive.PatchNote{Target: desk.Targets[(r.run.Number+turn)%len(desk.Targets)].Name, Origin: review.OriginModel, Agent: agentID}
	if err := r.proceed(ctx, r.end); err != nil {
		return note, err
	}
	if r.budget.Exhausted() {
		return note, bench.ErrBudget // the budget may have run out before the champion had a result
	}
	if err := desk.MayAttempt(ctx, agentID); err != nil {
		return refusedNote(note, err)
	}
	ground, err := desk.Survey(note.Target)
	if err != nil {
		return refusedNote(note, err)
	}
	m, err := r.material(ctx, agentID, ground)
	if err != nil {
		return note, err
	}
	switch {
	case len(m.Cases) == 0:
		note.Text = "nothing was written: the champion failed no search task"
		return note, nil
	case len(m.Files) == 0:
		note.Text = "nothing was written: the target's scope contains no Go file that may be changed"
		return note, nil
	}
	s, reason, err := r.draft(ctx, agentID, m, &note)
	if err != nil {
		return note, err
	}
	note.Text = reason
	if s == nil {
		return note, nil
	}
	return r.proposePatch(ctx, note, *s)
}

// draft asks the model for a patch, and asks once more if the patch would be refused before
// anything is run. s is nil if there is no patch to submit.
func (r *runner) draft(ctx context.Context, agentID string, m patchwriter.Material, note *archive.PatchNote) (s *review.Submission, text string, err error) {
	a, _ := r.o.Workspace.Agent(agentID)
	asked, done, err := r.o.Writer(ctx, a)
	if err != nil {
		return nil, "", fmt.Errorf("opening the model of patches.write: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	w := patchwriter.Writer{Model: r.budget.Within(asked), Route: r.o.Workspace.Settings.Patches.Write}
	for try := range 2 {
		reply, err := w.Write(ctx, m, (r.run.Seed+int64(try))&(1<<53-1))
		note.Usage.InputTokens += reply.Usage.InputTokens
		note.Usage.OutputTokens += reply.Usage.OutputTokens
		note.Usage.CachedTokens += reply.Usage.CachedTokens
		note.Usage.CostUSD += reply.Usage.CostUSD
		if err != nil {
			return nil, "", err
		}
		s = &review.Submission{Target: note.Target, Author: agentID, Origin: review.OriginModel, Rationale: reply.Reason}
		why := reply.Reason
		switch {
		case reply.Draft != nil:
			s.Rationale, s.Diff = reply.Draft.Rationale, reply.Draft.Diff
			if why, err = r.o.Patches.Precheck(*s); err != nil {
				return nil, "", err
			}
		case !reply.Malformed:
			return nil, "nothing was written: " + why, nil
		}
		if why == "" {
			return s, fmt.Sprintf("written on the %s attempt, from %s", []string{"first", "second"}[try], rtext.Count(len(m.Cases), "failure")), nil
		}
		text, m.Refused = "what the model wrote was refused twice; reason for the second refusal: "+why, why
	}
	return s, text, nil
}

// material returns the model's input: failures of the champion on search tasks, and the Go
// files that a patch may change.
func (r *runner) material(ctx context.Context, agentID string, ground *review.Ground) (patchwriter.Material, error) {
	m := patchwriter.Material{Target: ground.Target.Name}
	s := r.specs[slices.Index(r.run.Agents, agentID)]
	sample := s.Agent.Sample()
	tasks := map[string]*bench.Task{}
	var all []bench.Task
	for _, t := range sample.Search {
		tasks[t.ID] = t
	}
	for _, t := range slices.Concat(sample.Search, sample.Holdout) {
		all = append(all, *t)
	}
	m.Answers = bench.IndexAnswers(all)
	failed, err := r.failures(ctx, agentID, s.Agent.Champion.ID(), tasks)
	if err != nil {
		return m, err
	}
	for _, e := range failed {
		c := patchwriter.Case{
			Task: e.Task, Domain: e.Domain, Goal: tasks[e.Task].Request(), Outcome: e.Outcome, Score: e.Score, Answer: e.Answer, Reasons: e.Reasons(),
		}
		switch t, err := r.o.Archive.Transcript(ctx, e.Key); {
		case err == nil:
			c.Transcript = &t
		case !errors.Is(err, archive.ErrNotFound):
			return m, fmt.Errorf("reading a transcript: %w", err)
		}
		m.Cases = append(m.Cases, c)
	}
	if m.Attempts, err = r.refusedPatches(ctx, agentID, m.Target); err != nil {
		return m, err
	}
	m.Files, err = ground.Sources()
	return m, err
}

// refusedPatches returns the refused patches that a model wrote for an agent and a
// target, the latest first, each with the reasons for its refusal. Gates, a reviewer or a
// person refused them.
func (r *runner) refusedPatches(ctx context.Context, agentID, target string) ([]patchwriter.Attempt, error) {
	var out []patchwriter.Attempt
	for p, err := range r.o.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading earlier patches: %w", err)
		}
		b := p.Patch
		if b == nil || b.Target != target || b.Author != agentID || b.Origin != review.OriginModel {
			continue
		}
		if a := attempt(p); len(a.Refused) > 0 {
			out = append(out, a)
		}
	}
	slices.Reverse(out)
	return out, nil
}

// attempt returns a patch with the reasons for its refusal; the reasons that a person
// gave come first. If the patch was not refused, there are no reasons.
func attempt(p archive.ProposalRecord) patchwriter.Attempt {
	a := patchwriter.Attempt{Rationale: p.Rationale}
	if !refused(p) {
		return a
	}
	if d := p.Decision; d != nil && d.Reason != "" {
		a.Refused = append(a.Refused, "person, "+d.Action+": "+d.Reason)
	}
	a.Refused, a.Diff = append(a.Refused, findings(p)...), unified(p)
	return a
}

// refused reports whether gates, a reviewer or a person refused a patch, or a person rolled
// it back.
func refused(p archive.ProposalRecord) bool {
	return p.State == archive.GateFailed || p.State == archive.Rejected || p.State == archive.RolledBack
}

// findings returns the objections of gates and reviewers to a patch. None of them was
// measured on held-out cases.
func findings(p archive.ProposalRecord) []string {
	var out []string
	for _, g := range review.WithoutHeldOut(p.Gates) {
		if g.Verdict == string(gates.Failed) || g.Verdict == string(gates.Flagged) {
			out = append(out, "gate "+g.Gate+", "+g.Verdict+": "+g.Evidence)
		}
	}
	if v := p.Patch.Review; v != nil && !v.Approve {
		out = append(out, "reviewer: "+v.Reasons)
	}
	return out
}

// unified returns a patch's change as a unified diff.
func unified(p archive.ProposalRecord) string {
	var files []diff.File
	for _, f := range p.Files {
		files = append(files, diff.File{Path: f.Path, Old: f.Old, New: f.New})
	}
	return string(diff.Unified(files))
}

// failures returns the worst evaluations of a config in this run, one for each task. It
// reads evaluations of search tasks only.
func (r *runner) failures(ctx context.Context, agentID string, config agent.ConfigID, tasks map[string]*bench.Task) ([]bench.Evaluation, error) {
	if err := r.o.Archive.Flush(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	worst := map[string]bench.Evaluation{}
	for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, agentID) {
		if err != nil {
			return nil, fmt.Errorf("reading the failures: %w", err)
		}
		if e.Variant != config || e.Split != bench.Search || tasks[e.Task] == nil || !e.Scored || e.Pass {
			continue
		}
		if w, there := worst[e.Task]; !there || e.Score < w.Score {
			worst[e.Task] = e
		}
	}
	var out []bench.Evaluation
	for _, e := range worst {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b bench.Evaluation) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Task, b.Task))
	})
	return out[:min(len(out), mostFailures)], nil
}
