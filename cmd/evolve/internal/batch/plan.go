package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"evolve/archive"
	"evolve/mutate/night"
	"evolve/mutate/watch"
	"evolve/runtime/experience"
)

// began returns the start time of the resumed run, or the present time for a new run.
func (r *runner) began(ctx context.Context, takenUp string) (time.Time, error) {
	if takenUp == "" {
		return r.o.Now(), nil
	}
	run, err := r.o.Archive.Run(ctx, takenUp)
	return run.Started, err
}

// plan sets up the run that has the given number, and its plans. takenUp is the id of the
// interrupted run that this run may resume, or empty for a new run.
func (r *runner) plan(ctx context.Context, number int, takenUp string) error {
	o := r.o
	seed := int64(number)
	if o.Seed != nil {
		seed = *o.Seed
	}
	stages := o.Stages
	if len(stages) == 0 {
		stages = []string{SearchStage, ConfirmStage}
	}
	r.run = archive.Run{
		Number: number, State: archive.RunRunning, Stages: stages, Selection: o.Selection, Policy: o.Workspace.Settings.Policies.Version(), Seed: seed,
		Lookahead: o.Lookahead, Concurrency: o.Concurrency, BudgetEval: o.Budget.Evaluations,
		BudgetUSD: o.Budget.USD, BudgetTime: o.Budget.Time, Worked: o.Looked, Until: o.Until, Binary: o.Binary, Host: o.Host,
	}
	r.plans, r.specs = make([]archive.AgentPlan, len(r.agents)), make([]night.Spec, len(r.agents))
	r.lessons, r.unrecorded = make([]experience.Lessons, len(r.agents)), make([][]string, len(r.agents))
	var err error
	if r.held, err = FindHeldOut(ctx, o.Workspace, o.Archive); err != nil {
		return err
	}
	began, err := r.began(ctx, takenUp)
	if err != nil {
		return err
	}
	for i, a := range r.agents {
		refused, err := r.leaveOutInert(ctx, a, takenUp)
		if err != nil {
			return err
		}
		s := &r.specs[i]
		*s = r.spec(a)
		s.Agent.Routes, s.Agent.Refused = r.o.Workspace.RoutesHash(a), refused
		if err := r.leaveOutSearched(ctx, i, number); err != nil {
			return err
		}
		if s.Variances, err = night.EstimateVariances(ctx, o.Archive, &s.Agent, number); err != nil {
			return err
		}
		r.run.Agents = append(r.run.Agents, a.ID)
		var waits []archive.Waiting
		if takenUp == "" {
			waits, err = r.waits(ctx, a, "")
		} else {
			waits, err = r.plannedWaits(ctx, a, takenUp)
		}
		if err != nil {
			return err
		}
		s.Plan, r.plans[i] = &r.plans[i], s.NewPlan(waits)
		past, err := r.recall(ctx, a, takenUp)
		if err != nil {
			return err
		}
		r.lessons[i] = past.Lessons
		s.Agent.Feedback, s.Agent.Corrections = feedbackFor(a, past.Lessons), past.Lessons.CorrectionLines()
		s.Agent.InUse = past.Lessons.Basis()
		if code := o.Code.Found[a.ID]; code != nil {
			s.Agent.Source, s.Agent.Profile = code.Source(), code.Profile()
			s.Agent.Problem, s.Agent.Imports, s.Agent.Smaller, s.Agent.Place = code.TextProblem, code.Imports(), code.Smaller, code.Place
			if s.Agent.Feedback, err = r.became(ctx, a.ID); err != nil {
				return err
			}
		}
		if r.plans[i].Experience, err = r.experienceOf(ctx, a, past, takenUp); err != nil {
			return err
		}
		digests := s.Agent.Sample().Digests()
		if s.Watch, err = watch.Tasks(ctx, o.Archive, *s.Plan, number, digests, began); err != nil {
			return err
		}
		if s.Replaced, err = watch.Replaced(ctx, o.Archive, *s.Plan, number, s.Agent.Known); err != nil {
			return err
		}
		if s.Replaced != nil {
			s.Plan.Replaced = s.Replaced.ID()
		}
		if s.Panel, err = watch.Panel(ctx, o.Archive, *s.Plan, number, digests); err != nil {
			return err
		}
		if evaluations := shareOf(o.Budget.Evaluations, len(r.agents), i); evaluations > 0 || !o.limited() {
			s.Allocate(s.Plan, evaluations)
			if text := o.blind(s.Plan); text != "" {
				s.Plan.Warnings = append(s.Plan.Warnings, text)
			}
		}
	}
	identity, err := json.Marshal(struct {
		Number    int
		Seed      int64
		Lookahead int
		Stages    []string
		Selection string
		USD       float64
		Time      time.Duration
		Plans     []archive.AgentPlan
	}{number, seed, o.Lookahead, stages, o.Selection, o.Budget.USD, o.Budget.Time, withoutSentences(r.plans)})
	if err != nil {
		return fmt.Errorf("hashing the plan: %w", err)
	}
	sum := sha256.Sum256(identity)
	r.run.ID = fmt.Sprintf("%d-%s", number, hex.EncodeToString(sum[:4]))
	for i := range r.plans {
		r.plans[i].Run = r.run.ID
	}
	r.warnOfUnsent()
	if err := r.warnOfRequests(ctx); err != nil {
		return err
	}
	return r.describeJudges(ctx)
}

// withoutSentences returns plans without their list of written guards and without their
// texts for people, so that a version of evolve that rewords the texts can resume a run of
// an earlier version.
func withoutSentences(plans []archive.AgentPlan) []archive.AgentPlan {
	out := slices.Clone(plans)
	for i := range out {
		p := &out[i]
		p.Power, p.Warnings, p.Alike, p.Judges, p.JudgeNoise, p.Guarded = "", nil, nil, nil, "", nil
	}
	return out
}
