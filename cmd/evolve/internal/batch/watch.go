package batch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
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
	// gitTime limits how long reading the history may take.
	gitTime = 10 * time.Second
	// mostSubject limits the stored first line of a commit message, in bytes.
	mostSubject = 200
	// mostFile is the maximum size, in bytes, of an adopted file that is compared with
	// its present state.
	mostFile = 16 << 20
)

// History is the version control of a workspace.
type History interface {
	Head() (branch, commit string, err error)
	Changes(ctx context.Context, from, to string, most int, paths ...string) ([]patch.Change, int, error)
}

// history returns the version control of the workspace, or nil if there is none or it has
// no commit.
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

// noteCommits records in the plans which commits are checked out: the commit of the
// workspace and, for a target whose code is searched, the target's commit and the data
// that the target's entries into the confirmation use up. The commits are not part of the
// run's identity, so a commit elsewhere in the repository does not lead to another run.
func (r *runner) noteCommits() {
	for i := range r.plans {
		if code := r.o.Code.Found[r.plans[i].Agent]; code != nil {
			r.plans[i].CodeCommit, r.plans[i].Spends = code.Commit(), code.Spends()
		}
	}
	h := r.history()
	if h == nil {
		return
	}
	_, commit, err := h.Head()
	if err != nil {
		r.o.Log.Warn("the commit of the agents was not recorded", "error", err)
	}
	for i := range r.plans {
		r.plans[i].Commit = commit
	}
}

// watch compares the active config of an agent with its earlier states, and adds the
// findings to the stored result.
func (r *runner) watch(ctx context.Context, at int, result *archive.AgentResult) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.o.Archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	learned, err := r.learned(ctx, r.agents[at])
	if err != nil {
		return err
	}
	seen, err := watch.Look(ctx, r.o.Archive, r.run, r.plans[at], r.specs[at].Agent.Sample().Digests(), r.o.Workspace.ModelHash(r.agents[at]), learned)
	if err != nil {
		return fmt.Errorf("comparing %s with earlier nights: %w", r.agents[at].ID, err)
	}
	if seen.Fall != nil {
		r.findCommits(ctx, at, &seen.Fall.ActiveChange, seen.FellBetween)
	}
	if seen.Changed != nil {
		r.findCommits(ctx, at, seen.Changed, seen.ChangedBetween)
	}
	if a := seen.Adopted; a != nil {
		if a.Unchanged, err = r.unchanged(ctx, a.Proposal); err != nil {
			return err
		}
	}
	result.Watch = &seen.Watch
	if err := r.o.Archive.PutResult(ctx, *result); err != nil {
		return fmt.Errorf("%w: recording the comparison with earlier nights: %w", bench.ErrRecorder, err)
	}
	return nil
}

// learned returns an identifier of the experience that evaluations of this run read. The
// experience comes from an agent's live turns; the identifier does not cover feedback
// from people. learned returns "" for an agent whose evaluations read no experience.
func (r *runner) learned(ctx context.Context, a *workspace.Agent) (string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return "", nil
	}
	e, err := r.o.Archive.FrozenExperience(ctx, a.ID)
	if err != nil {
		return "", fmt.Errorf("reading the results of the live turns of %s: %w", a.ID, err)
	}
	e.Feedback, e.LastFeedback = nil, 0
	return cmp.Or(e.Withhold(r.held.Quoted).Digest(), "nothing"), nil
}

// mostCommits limits the number of commits that a change names.
const mostCommits = 4

// findCommits adds to c the commits that changed the agent between two nights: those that
// changed its folder and, if its models differ, those that changed evolve.yaml. For a
// target whose code is searched, it also adds the commits in the target's repository.
func (r *runner) findCommits(ctx context.Context, at int, c *archive.ActiveChange, between watch.Between) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	id := r.agents[at].ID
	var found []archive.CommitBrief
	all := 0
	look := func(repository string, h History, span [2]string, paths ...string) {
		if h == nil || span[0] == "" || span[1] == "" {
			c.Versioned = false
			return
		}
		if span[0] == span[1] {
			return
		}
		list, n, err := h.Changes(ctx, span[0], span[1], mostCommits, paths...)
		if err != nil {
			c.Versioned = false
			r.o.Log.Warn("the commits that changed "+id+" are not known", "error", err)
			return
		}
		for _, k := range list {
			found = append(found, archive.CommitBrief{Repository: repository, Hash: k.Commit, Subject: text.Clip(text.OneLine(r.scrubbed(k.Subject)), mostSubject), Time: k.Time})
		}
		all += n
	}
	if code := r.o.Code.Found[id]; code != nil {
		look(r.o.Workspace.Rel(code.Target.Repo), code.History(), between.Code)
		id = code.Own()
	}
	if own, ok := r.o.Workspace.Agent(id); ok {
		paths := []string{r.o.Workspace.Rel(own.Dir)}
		if c.Models {
			paths = append(paths, workspace.SettingsFile)
		}
		look("", r.history(), between.Workspace, paths...)
	}
	seen := map[string]bool{} // a commit to both folders is in both lists
	found = slices.DeleteFunc(found, func(k archive.CommitBrief) bool {
		twice := seen[k.Hash]
		seen[k.Hash] = true
		if twice {
			all--
		}
		return twice
	})
	slices.SortStableFunc(found, func(a, b archive.CommitBrief) int { return a.Time.Compare(b.Time) })
	found = found[:min(len(found), mostCommits)]
	if len(found) > 0 {
		c.Commit, c.Further = &found[0], found[1:]
	}
	c.Unlisted = all - len(found)
}

// scrubbed returns a text without credentials.
func (r *runner) scrubbed(s string) string {
	if r.o.Scrub == nil {
		return s
	}
	return r.o.Scrub(s)
}

// unchanged reports whether the files of an adoption are still as the adoption left them.
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
