package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
)

// proposeLeft proposes the versions that earlier nights confirmed but did not propose
// because their processes ended first. A failure becomes a warning.
func (r *runner) proposeLeft(ctx context.Context) {
	for i, a := range r.agents {
		if r.o.Code.Found[a.ID] == nil || r.stopped(ctx) != nil {
			continue
		}
		left, run, words, err := r.unproposed(ctx, a, r.plans[i])
		if err == nil && run != "" {
			err = r.proposeOf(ctx, a, run, left, words)
		}
		if err != nil {
			r.o.Log.Warn("a version that was confirmed earlier could not be proposed", "target", a.ID, "error", err)
		}
	}
}

// proposeOf proposes the version that an earlier run confirmed.
func (r *runner) proposeOf(ctx context.Context, a *workspace.Agent, run string, v archive.Variant, words string) error {
	result, err := r.o.Archive.Result(ctx, run, a.ID)
	if err != nil {
		return fmt.Errorf("reading the result of run %s: %w", run, err)
	}
	var ruling *stats.Ruling
	for _, f := range result.Finalist {
		if f.Variant == v.ID {
			ruling = f.Ruling
		}
	}
	note, err := r.proposeVersion(ctx, a, run, v, words, ruling)
	if err == nil {
		r.run.Patches = append(r.run.Patches, note)
	}
	return err
}

// unproposed returns the version of a target that was confirmed last by an earlier run
// with the present code and tasks, together with that run and its verdict. run is empty
// if there is no such version, if the version has a proposal, if the run has a note on
// why there is no proposal, or while another version is waiting.
func (r *runner) unproposed(ctx context.Context, a *workspace.Agent, now archive.AgentPlan) (v archive.Variant, run, words string, err error) {
	waits, err := r.waits(ctx, a, "")
	if err != nil || slices.ContainsFunc(waits, func(w archive.Waiting) bool { return len(w.Stale) == 0 }) {
		return v, "", "", err
	}
	for past, err := range r.o.Archive.Runs(ctx) { // the latest first
		if err != nil {
			return v, "", "", fmt.Errorf("reading the runs: %w", err)
		}
		if past.ID == r.run.ID || past.Imported {
			continue
		}
		plan, err := r.o.Archive.Plan(ctx, past.ID, a.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return v, "", "", fmt.Errorf("reading the plan of run %s: %w", past.ID, err)
		}
		if err != nil || plan.AgentHash != now.AgentHash || plan.Champion != now.Champion || plan.SuiteHash != now.SuiteHash || plan.SplitHash != now.SplitHash {
			continue
		}
		result, err := r.o.Archive.Result(ctx, past.ID, a.ID)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return v, "", "", fmt.Errorf("reading the result of run %s: %w", past.ID, err)
		}
		if err != nil || result.Winner == "" {
			continue
		}
		if told := slices.ContainsFunc(past.Patches, func(n archive.PatchNote) bool { return n.Target == a.ID && strings.HasPrefix(n.Text, NoProposal) }); told {
			return v, "", "", nil
		}
		for p, err := range r.o.Archive.Proposals(ctx) {
			if err != nil {
				return v, "", "", fmt.Errorf("reading the proposals: %w", err)
			}
			if variant, is := p.VariantOf(a.ID); is && (variant == result.Winner || p.Run == past.ID) {
				return v, "", "", nil
			}
		}
		v, err = r.o.Archive.Variant(ctx, a.ID, result.Winner)
		if err != nil {
			return v, "", "", fmt.Errorf("reading a version: %w", err)
		}
		return v, past.ID, result.Reason, nil
	}
	return v, "", "", nil
}
