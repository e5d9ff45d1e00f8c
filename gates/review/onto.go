package review

import (
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/patch"
	"evolve/patch/diff"
)

// onto applies a change to another commit. Files that still have the change's old content
// get its new content. In any other file, each changed passage must be found exactly once;
// conflicts lists the paths of the files for which that fails.
func onto(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error) {
	return carried(repo, commit, files, reapply)
}

// backOnto does for the reversal of a change what onto does for the change itself. Only
// the changed lines must be found unchanged; the lines around them may have changed, for
// example the mark of a renamed block.
func backOnto(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error) {
	return carried(repo, commit, files, takeBack)
}

// placing computes the result of a change, or of its reversal, on the files of a commit. It
// is either onto or backOnto.
type placing func(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error)

// carried applies a change to another commit. It uses apply for the files that no longer
// have the change's old content.
func carried(repo *patch.Repository, commit string, files []patch.File, apply func(patch.File, []byte) (patch.File, bool, error)) (out []patch.File, conflicts []string, err error) {
	for _, f := range files {
		have, err := repo.File(commit, f.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if same(have, f.Old) {
			out = append(out, f)
			continue
		}
		moved, ok, err := apply(f, have)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			conflicts = append(conflicts, f.Path)
			continue
		}
		out = append(out, moved)
	}
	return out, conflicts, nil
}

// moveOnto makes another commit the base of a proposal. If there are conflicts, the
// proposal's files stay unchanged.
func moveOnto(repo *patch.Repository, commit string, p *archive.ProposalRecord) (conflicts []string, err error) {
	moved, conflicts, err := onto(repo, commit, files(*p))
	if err != nil {
		return nil, err
	}
	brief := *p.Patch
	brief.BaseCommit = commit
	p.Patch = &brief
	if len(conflicts) > 0 {
		return conflicts, nil
	}
	p.Files = nil
	for _, f := range moved {
		p.Files = append(p.Files, archive.FileChange{Path: f.Path, Old: f.Old, New: f.New})
	}
	return nil, nil
}

// conflictsWith describes the conflicts that prevent a patch from being moved to another
// commit.
func conflictsWith(conflicts []string) string {
	return "the target has since changed passages that the patch also changes: " + join(conflicts)
}

// reapply takes the change to a file and applies it to another version of that file.
func reapply(f patch.File, have []byte) (patch.File, bool, error) {
	if have == nil || f.Old == nil || f.New == nil {
		return f, false, nil
	}
	parsed, err := diff.Parse(diff.Unified([]diff.File{f}))
	if err == nil {
		var made []diff.File
		made, err = diff.Apply(parsed, func(string) ([]byte, error) { return have, nil })
		if err == nil && len(made) == 1 {
			return made[0], true, nil
		}
	}
	var refused *diff.RefusedError
	if err != nil && !errors.As(err, &refused) {
		return f, false, fmt.Errorf("changing %s: %w", f.Path, err)
	}
	return f, false, nil
}

// takeBack is like reapply, for the reversal of a change. The lines around the changed
// lines need not match.
func takeBack(f patch.File, have []byte) (patch.File, bool, error) {
	out, ok, err := reapply(f, have)
	if ok || err != nil || have == nil || f.Old == nil || f.New == nil {
		return out, ok, err
	}
	made, ok := diff.Carry(f, have)
	return made, ok, nil
}
