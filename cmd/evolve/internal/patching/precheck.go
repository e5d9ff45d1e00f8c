package patching

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/patch"
)

// MayAttempt refuses, with a *decide.RefusedError, an author who may not propose a patch
// now. It writes nothing, so that a caller can check before it pays for a patch.
func (d *Desk) MayAttempt(ctx context.Context, author string) error {
	return d.Archive(ctx, func(a *archive.Archive) error { return d.mayAttempt(ctx, a, author) })
}

// Precheck returns why a submission would fail before any of it is run, because it does
// not apply or leaves the scope; otherwise "". It does not count as an attempt, and
// leaves only objects that git collects as garbage.
func (d *Desk) Precheck(s Submission) (why string, err error) {
	t, err := d.target(s.Target)
	if err != nil {
		return "", err
	}
	p, why, err := d.draw(t, s, "")
	if err != nil || why != "" {
		return why, err
	}
	repo, err := d.open(t)
	if err != nil {
		return "", err
	}
	way := &passage{desk: d, target: t, repo: repo, base: p.Patch.BaseCommit, files: Change(p)}
	var conflict *patch.ConflictError
	switch way.tree, err = repo.Candidate(way.base, way.files); {
	case errors.As(err, &conflict):
		return conflict.Error(), nil
	case err != nil:
		return "", fmt.Errorf("writing the patched tree: %w", err)
	}
	if err := way.judge(); err != nil {
		return "", err
	}
	var list []string
	for _, f := range way.judged.Refused {
		list = append(list, strings.TrimSpace(f.Path+": "+f.Rule+": "+f.Why))
	}
	return clip(strings.Join(list, "; "), maxEvidence), nil
}
