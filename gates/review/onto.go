package review

import (
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/patch"
	"evolve/patch/diff"
)

// onto applies a change to another commit. Files that equal the change's old content are
// taken as they are; in others every changed place must be found exactly once. conflicts
// lists the paths with a place that is not.
func onto(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error) {
	return carried(repo, commit, files, reapply)
}

// backOnto is like onto for the reversal of a change. Only the changed lines have to match: the
// lines around them may have changed, such as the mark of a renamed block.
func backOnto(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error) {
	return carried(repo, commit, files, takeBack)
}

// placing computes the result of a change, or of its reversal, on the files of a commit: onto
// or backOnto.
type placing func(repo *patch.Repository, commit string, files []patch.File) (out []patch.File, conflicts []string, err error)

// carried applies a change to another commit; apply does so to a file that differs there.
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
// proposal's files stay as they are.
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

// conflictsWith returns the reason why a patch cannot be moved.
func conflictsWith(conflicts []string) string {
	return "changed in the target since, where the patch changes it too: " + join(conflicts)
}

// reapply applies the change of one file to another version of it.
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

// takeBack applies the reversal of a change to another version of its file.
func takeBack(f patch.File, have []byte) (patch.File, bool, error) {
	out, ok, err := reapply(f, have)
	if ok || err != nil || have == nil || f.Old == nil || f.New == nil {
		return out, ok, err
	}
	made, ok := diff.Carry(f, have)
	return made, ok, nil
}
