package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch/diff"
	"evolve/runtime/agent"
)

// PatchOf returns the patch in a change request, if the request came from the tool
// propose_patch, names a target in the settings, and contains a diff.
func PatchOf(w *workspace.Workspace, author string, q agent.ChangeRequest) (review.Submission, bool) {
	if q.Type != "source" || q.Tool != "propose_patch" {
		return review.Submission{}, false
	}
	var asked struct {
		Target string `json:"target"`
		Reason string `json:"reason"`
		Patch  string `json:"patch"`
	}
	dec := json.NewDecoder(bytes.NewReader(q.Arguments))
	if dec.Decode(&asked) != nil || !slices.Contains(w.Settings.Patches.TargetNames(), asked.Target) {
		return review.Submission{}, false
	}
	if _, err := diff.Parse([]byte(asked.Patch)); err != nil {
		return review.Submission{}, false
	}
	return review.Submission{Target: asked.Target, Author: author, Origin: review.OriginAgent, Rationale: asked.Reason, Diff: asked.Patch}, true
}

// AskedPatches returns the patches that agents requested in a run, at most one per agent.
// Only evaluations of search tasks count, because text from a holdout task never leaves its
// transcript.
func AskedPatches(ctx context.Context, w *workspace.Workspace, store *archive.Archive, run string) ([]review.Submission, error) {
	if len(w.Settings.Patches.Targets) == 0 {
		return nil, nil
	}
	var out []review.Submission
	for i := range w.Agents {
		s, found, err := firstAsked(ctx, w, store, run, w.Agents[i].ID)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, s)
		}
	}
	return out, nil
}

// firstAsked returns the first patch that an agent requested in a run.
func firstAsked(ctx context.Context, w *workspace.Workspace, store *archive.Archive, run, author string) (review.Submission, bool, error) {
	var keys []bench.Key
	a, ok := w.Agent(author)
	if !ok || a.Adapter.Kind != workspace.KindBuiltin || a.Adapter.Model == workspace.ModelHeuristic {
		return review.Submission{}, false, nil // without the tool
	}
	for e, err := range store.Evaluations(ctx, run, author) {
		if err != nil {
			return review.Submission{}, false, fmt.Errorf("reading the evaluations: %w", err)
		}
		if e.Stage == bench.StageSearch {
			keys = append(keys, e.Key)
		}
	}
	for _, key := range keys {
		t, err := store.Transcript(ctx, key)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return review.Submission{}, false, fmt.Errorf("reading a transcript: %w", err)
		}
		for _, e := range t.Events {
			var q agent.ChangeRequest
			if e.Kind != agent.EventRequest || json.Unmarshal(e.Data, &q) != nil {
				continue
			}
			if s, ok := PatchOf(w, author, q); ok {
				return s, true, nil
			}
		}
	}
	return review.Submission{}, false, nil
}
