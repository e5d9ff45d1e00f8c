package batch

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/watch"
	"evolve/patch"
	"evolve/runtime/text"
	"evolve/runtime/wholefile"
)

const (
	// gitTime is the time that reading the history may take.
	gitTime = 10 * time.Second
	// mostSubject bounds the stored first line of a commit's message, in bytes.
	mostSubject = 200
	// mostFile bounds the files of an adoption that are compared with their present state.
	mostFile = 16 << 20
)

// History is the version control of a workspace.
type History interface {
	Head() (branch, commit string, err error)
	FirstChange(ctx context.Context, from, to, folder string) (patch.Change, bool, error)
}

// history returns the version control of the workspace, or nil without a commit.
func (r *runner) history() History {
	if r.o.History == nil {
		return nil
	}
	h, err := r.o.History()
	if err != nil {
		return nil
	}
	return h
}

// noteCommit records in the plans which commit is checked out. It is not part of the run's
// identity: a commit elsewhere in the repository makes no other run.
func (r *runner) noteCommit() {
	h := r.history()
	if h == nil {
		return
	}
	_, commit, err := h.Head()
	if err != nil {
		r.o.Log.Warn("the commit of the agents is not on record", "error", err)
	}
	for i := range r.plans {
		r.plans[i].Commit = commit
	}
}

// watch compares the active config of an agent with its past, and adds what it finds to the
// stored result.
func (r *runner) watch(ctx context.Context, at int, result *archive.AgentResult) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.o.Archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	seen, err := watch.Look(ctx, r.o.Archive, r.run, r.plans[at], r.specs[at].Agent.Sample().Digests(), r.o.Workspace.ModelHash(r.agents[at]))
	if err != nil {
		return fmt.Errorf("comparing %s with earlier nights: %w", r.agents[at].ID, err)
	}
	if seen.Fall != nil {
		r.findCommit(ctx, at, &seen.Fall.ActiveChange, seen.FellBetween)
	}
	if seen.Changed != nil {
		r.findCommit(ctx, at, seen.Changed, seen.ChangedBetween)
	}
	if a := seen.Adopted; a != nil {
		if a.Unchanged, err = r.unchanged(ctx, a.Proposal); err != nil {
			return err
		}
	}
	result.Watch = &seen.Watch
	if err := r.o.Archive.PutResult(ctx, *result); err != nil {
		return fmt.Errorf("%w: recording the watch: %w", bench.ErrRecorder, err)
	}
	return nil
}

// findCommit adds the first commit between two others that changed the agent's folder or, if
// none did and its models are other ones, evolve.yaml.
func (r *runner) findCommit(ctx context.Context, at int, c *archive.ActiveChange, between [2]string) {
	h := r.history()
	if h == nil || between[0] == "" || between[1] == "" || between[0] == between[1] {
		return
	}
	folder, err := filepath.Rel(r.o.Workspace.Root, r.agents[at].Dir)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	found, there, err := h.FirstChange(ctx, between[0], between[1], filepath.ToSlash(folder))
	if err == nil && !there && c.Models {
		found, there, err = h.FirstChange(ctx, between[0], between[1], workspace.SettingsFile)
	}
	if err != nil {
		c.Versioned = false
		r.o.Log.Warn("the commit before a change of "+r.agents[at].ID+" is not known", "error", err)
	}
	if there {
		subject := text.Clip(text.OneLine(r.scrubbed(found.Subject)), mostSubject)
		c.Commit = &archive.CommitBrief{Hash: found.Commit, Subject: subject, Time: found.Time}
	}
}

// scrubbed returns a text without credentials.
func (r *runner) scrubbed(s string) string {
	if r.o.Scrub == nil {
		return s
	}
	return r.o.Scrub(s)
}

// unchanged reports whether the files of an adoption are still as it left them.
func (r *runner) unchanged(ctx context.Context, id string) (bool, error) {
	p, err := r.o.Archive.Proposal(ctx, id)
	if err != nil {
		return false, fmt.Errorf("reading an adoption: %w", err)
	}
	for _, f := range p.Files {
		have, err := wholefile.Read(filepath.Join(r.o.Workspace.Root, filepath.FromSlash(f.Path)), mostFile)
		if (err == nil) != (f.New != nil) || !bytes.Equal(have, f.New) {
			return false, nil
		}
	}
	return len(p.Files) > 0, nil
}
