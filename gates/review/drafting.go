package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/runtime/agent"
	"evolve/runtime/skill"
)

const (
	// maxTrajectories is the maximum number of transcripts from which a skill is drafted.
	maxTrajectories = 4000
	// solved is the minimum score at which a task counts as solved. minClusters is the
	// minimum number of clusters with a solved task; with fewer, no transcripts are read,
	// because package skill would veto every draft from them.
	solved      = .999
	minClusters = 3
	// noDomain is the domain of tasks that have none.
	noDomain = "_global"
)

// DraftSkill drafts skills from the transcripts of a run that has ended. It proposes the
// first draft that has no vetoes and that is neither awaiting a decision nor decided
// against. It returns nil if there is no such draft, or if the agent's last draft is less
// than an hour old.
func (rev *Reviewer) DraftSkill(ctx context.Context, agentID, run string) (*archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (*archive.ProposalRecord, error) { return s.draftSkill(ctx, agentID, run) })
}

func (s *session) draftSkill(ctx context.Context, agentID, run string) (*archive.ProposalRecord, error) {
	a, err := s.proposer(agentID)
	if err != nil {
		return nil, err
	}
	last, decided, err := s.drafts(ctx, a)
	if err != nil || !skill.Due(last, s.Now()) {
		return nil, err
	}
	trajectories, err := s.trajectories(ctx, a, run)
	if err != nil {
		return nil, err
	}
	for _, c := range skill.Draft(trajectories, skillsOf(a, "")) {
		if len(c.Vetoes) > 0 || decided[path.Join(skillsDir(a.ID), c.Definition.Name+".md")] {
			continue
		}
		p, err := s.proposeSkill(ctx, a.ID, run, c)
		return &p, err
	}
	return nil, nil
}

// drafts returns the time at which the agent's last skill was proposed. It also returns
// the skill files in certain proposals: those that await a decision and are not stale,
// and those that were rejected or rolled back.
func (s *session) drafts(ctx context.Context, a *Agent) (last time.Time, decided map[string]bool, err error) {
	decided = map[string]bool{}
	for p, err := range s.store.Proposals(ctx) {
		if err != nil {
			return last, decided, fmt.Errorf("reading the proposals: %w", err)
		}
		if kind, _ := Written(p); kind != "skill" || p.Agent != a.ID || p.Imported != "" {
			continue
		}
		if p.Created.After(last) {
			last = p.Created
		}
		base, err := s.writtenBase(a, p)
		if err != nil {
			return last, decided, err
		}
		stale := len(gates.Moved(p.Base, base)) > 0
		if Undecided(p.State) && !stale || p.State == archive.Rejected || p.State == archive.RolledBack {
			decided[p.Files[0].Path] = true
		}
	}
	return last, decided, nil
}

// draftAgain repeats the drafting that led to the proposal.
func (f *fileSubject) draftAgain(ctx context.Context) ([]skill.Candidate, error) {
	_, name := Written(f.p)
	trajectories, err := f.trajectories(ctx, f.agent, f.p.Run)
	if err != nil {
		return nil, err
	}
	return skill.Draft(trajectories, skillsOf(f.agent, name)), nil
}

// skillsOf returns the agent's skills except the named one. It skips files that are not
// skills, such as a person's notes.
func skillsOf(a *Agent, but string) []skill.Definition {
	var out []skill.Definition
	for file, data := range a.SkillFiles {
		if def, err := skill.Parse(data); err == nil && file != but+".md" {
			out = append(out, def)
		}
	}
	return out
}

// trajectories returns the evaluations of a run's champion and finalists on search tasks,
// never on holdout tasks, because drafted skills become part of the prompt. If too few
// clusters have a solved task, it returns none and reads no transcripts.
func (s *session) trajectories(ctx context.Context, a *Agent, run string) ([]skill.Trajectory, error) {
	result, err := s.store.Result(ctx, run, a.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the result of run %s: %w", run, err)
	}
	plan, err := s.store.Plan(ctx, run, a.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the plan of run %s: %w", run, err)
	}
	wanted := map[agent.ConfigID]bool{plan.Champion: true}
	for _, f := range result.Finalist {
		wanted[f.Variant] = true
	}
	tasks := map[string]*bench.Task{}
	for _, suite := range a.Suites {
		for _, t := range suite.Side(bench.Search) {
			tasks[t.ID] = t
		}
	}
	var evals []bench.Evaluation
	clusters := map[string]bool{}
	for e, err := range s.store.Evaluations(ctx, run, a.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the evaluations of run %s: %w", run, err)
		}
		t := tasks[e.Task]
		if t == nil || e.Split != bench.Search || !e.Scored || !wanted[e.Variant] || len(evals) == maxTrajectories {
			continue
		}
		evals = append(evals, e)
		if e.Score >= solved {
			clusters[t.Unit()] = true
		}
	}
	if len(clusters) < minClusters {
		return nil, nil
	}
	var out []skill.Trajectory
	for _, e := range evals {
		transcript, err := s.store.Transcript(ctx, e.Key)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a transcript: %w", err)
		}
		t := tasks[e.Task]
		tr := skill.Trajectory{
			TaskID: t.ID, Cluster: t.Unit(), Domain: t.Domain, Goal: GoalOf(t), Answer: e.Answer, Transcript: transcript, Score: e.Score,
		}
		if tr.Domain == "" {
			tr.Domain = noDomain
		}
		out = append(out, tr)
	}
	return out, nil
}

// GoalOf returns the goal of a task. For a conversation, it is the user's last message.
func GoalOf(t *bench.Task) string {
	goal := t.Goal
	if n := len(t.Turns); n > 0 {
		return t.Turns[n-1].User
	}
	for _, m := range t.Messages {
		if goal == "" || t.Goal == "" && m.Role == "user" {
			goal = m.Content
		}
	}
	return goal
}
