package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch/diff"
	"evolve/reports"
	"evolve/runtime/agent"
)

// patchOf returns the patch of a change request, if it came from the tool propose_patch,
// its target is in the settings and it holds a diff.
func patchOf(w *workspace.Workspace, author string, q agent.ChangeRequest) (patching.Submission, bool) {
	if q.Type != "source" || q.Tool != "propose_patch" {
		return patching.Submission{}, false
	}
	var asked struct {
		Target string `json:"target"`
		Reason string `json:"reason"`
		Patch  string `json:"patch"`
	}
	dec := json.NewDecoder(bytes.NewReader(q.Arguments))
	if dec.Decode(&asked) != nil || !slices.Contains(w.Settings.Patches.TargetNames(), asked.Target) {
		return patching.Submission{}, false
	}
	if _, err := diff.Parse([]byte(asked.Patch)); err != nil {
		return patching.Submission{}, false
	}
	return patching.Submission{Target: asked.Target, Author: author, Origin: patching.Agent, Rationale: asked.Reason, Diff: asked.Patch}, true
}

// proposeAsked makes a proposal of a patch that an agent requested; it ignores other
// requests. A refused patch stays a change request.
func (sh *shell) proposeAsked(c *cli.Context, w *workspace.Workspace, lend patching.Lender, author string, q agent.ChangeRequest) (*archive.ProposalRecord, error) {
	s, ok := patchOf(w, author, q)
	if !ok {
		return nil, nil
	}
	return sh.submit(c.Context, sh.patchDesk(c, w, lend), s)
}

// submit proposes a patch. It returns nil and prints the reason if the patch was refused
// or its gates were stopped.
func (sh *shell) submit(ctx context.Context, desk *patching.Desk, s patching.Submission) (*archive.ProposalRecord, error) {
	p, err := desk.Propose(ctx, s)
	var refused *decide.RefusedError
	if errors.As(err, &refused) {
		_, _ = fmt.Fprintf(sh.stderr, "no proposal was made of a patch of %s by %s: %s\n", reports.Visible(s.Target), reports.Visible(s.Author), reports.Visible(refused.Text))
		return nil, nil
	}
	var left *patching.LeftError
	if errors.As(err, &left) {
		_, _ = fmt.Fprintf(sh.stderr, "%s; the next night or `evolve patch propose` takes it up\n", reports.Visible(left.Error()))
		return &p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("proposing a patch of %s: %w", s.Target, err)
	}
	return &p, nil
}

// askedPatches returns the patches that agents requested in a run, at most one of each
// agent. Only evaluations of search tasks count: text from a holdout task never leaves
// its transcript.
func (sh *shell) askedPatches(ctx context.Context, w *workspace.Workspace, store *archive.Archive, run string) ([]patching.Submission, error) {
	if len(w.Settings.Patches.Targets) == 0 {
		return nil, nil
	}
	var out []patching.Submission
	for i := range w.Agents {
		s, found, err := sh.askedAtNight(ctx, w, store, run, w.Agents[i].ID)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, s)
		}
	}
	return out, nil
}

// askedAtNight returns the first patch that an agent requested in a run.
func (sh *shell) askedAtNight(ctx context.Context, w *workspace.Workspace, store *archive.Archive, run, author string) (patching.Submission, bool, error) {
	var keys []bench.Key
	a, ok := w.Agent(author)
	if !ok || a.Adapter.Kind != workspace.KindBuiltin || a.Adapter.Model == workspace.ModelHeuristic {
		return patching.Submission{}, false, nil // without the tool
	}
	for e, err := range store.Evaluations(ctx, run, author) {
		if err != nil {
			return patching.Submission{}, false, fmt.Errorf("reading the evaluations: %w", err)
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
			return patching.Submission{}, false, fmt.Errorf("reading a transcript: %w", err)
		}
		for _, e := range t.Events {
			var q agent.ChangeRequest
			if e.Kind != agent.EventRequest || json.Unmarshal(e.Data, &q) != nil {
				continue
			}
			if s, ok := patchOf(w, author, q); ok {
				return s, true, nil
			}
		}
	}
	return patching.Submission{}, false, nil
}
