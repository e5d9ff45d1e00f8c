package coding

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"evolve/runtime/text"
)

// mostNamed limits the number of uncommitted files that are listed by name.
const mostNamed = 4

// findUncommitted describes the tracked files that differ from the commit, starting with
// those that contain marked blocks.
func (p *Prospect) findUncommitted(ctx context.Context) {
	list, err := p.ground.Uncommitted(ctx, slices.Sorted(maps.Keys(p.files))...)
	switch {
	case err != nil:
		p.uncommitted = "it is not known whether all changes are committed: " + text.OneLine(err.Error())
	case len(list) > 0:
		p.uncommitted = "not committed, so versions do not contain these changes: " + named(list)
	}
}

// findAbsent describes the links and submodules, which are missing from the trees in which
// the commands start.
func (p *Prospect) findAbsent() error {
	links, submodules, err := p.ground.Absent()
	if err != nil {
		return err
	}
	var parts []string
	if len(links) > 0 {
		parts = append(parts, "symbolic links ("+named(links)+")")
	}
	if len(submodules) > 0 {
		parts = append(parts, "submodules ("+named(submodules)+")")
	}
	if len(parts) > 0 {
		p.absent = "the scoring commands do not see " + strings.Join(parts, " and ") + ": if the commands need them, commit the content as regular files"
	}
	return nil
}

// Skipped names marked files that are not searched although the target allows them, each
// with the reason. It also names the links and submodules that are missing from the trees
// in which the commands run.
func (p *Prospect) Skipped() []string {
	if p.absent == "" {
		return p.skipped
	}
	return append(slices.Clone(p.skipped), p.absent)
}

// named returns a list of the first files by name, with the number of the others.
func named(files []string) string {
	var names []string
	for _, f := range files[:min(len(files), mostNamed)] {
		names = append(names, text.Visible(text.Clip(f, 100, text.Ellipsis)))
	}
	if more := len(files) - mostNamed; more > 0 {
		return strings.Join(names, ", ") + " and " + text.Count(more, "other file")
	}
	return strings.Join(names, ", ")
}

// Uncommitted describes the tracked files in the target's repository that differ from the
// commit from which versions start; it returns "" if there are none.
func (p *Prospect) Uncommitted() string { return p.uncommitted }

// notCommitted is the message that follows the name of a file that has to be committed.
const notCommitted = " differs from its committed version: commit it, because versions of the code start from the commit"

// explained adds to a [Problem] the files that are uncommitted or absent, because they may
// be the cause.
func (p *Prospect) explained(err error) error {
	var problem *Problem
	if !errors.As(err, &problem) || strings.HasSuffix(problem.Text, notCommitted) {
		return err
	}
	words := problem.Text
	for _, cause := range []string{p.uncommitted, p.absent} {
		if cause != "" && !strings.Contains(words, cause) {
			words += "; " + cause
		}
	}
	return &Problem{words}
}
