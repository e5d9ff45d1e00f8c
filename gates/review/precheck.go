package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evolve/patch"
	"evolve/runtime/text"
)

// MayAttempt returns a *RefusedError if the author may not propose a patch now. It writes
// nothing, so a caller can use it before paying for a patch.
func (rev *Reviewer) MayAttempt(ctx context.Context, author string) error {
	return rev.with(ctx, func(s *session) error {
		waits, err := s.limited(ctx, author)
		if waits != nil {
			err = waits.refused()
		}
		return err
	})
}

// Precheck returns the reasons why a submission would fail before any of its code is run,
// because the submission does not apply or changes files outside the scope; "" if there
// are none. It does not count as an attempt. In the repository, it leaves only objects
// that git collects as garbage.
func (rev *Reviewer) Precheck(s Submission) (why string, err error) {
	t, err := rev.target(s.Target)
	if err != nil {
		return "", err
	}
	p, why, err := rev.patchRecord(t, s, "")
	if err != nil || why != "" {
		return why, err
	}
	repo, err := rev.open(t)
	if err != nil {
		return "", err
	}
	w := &gateRun{Reviewer: rev, target: t, repo: repo, base: p.Patch.BaseCommit, files: files(p)}
	var conflict *patch.ConflictError
	switch w.tree, err = repo.Candidate(w.base, w.files); {
	case errors.As(err, &conflict):
		return conflict.Error(), nil
	case err != nil:
		return "", fmt.Errorf("writing the patched tree: %w", err)
	}
	if err := w.judge(); err != nil {
		return "", err
	}
	var list []string
	for _, f := range w.judged.Refused {
		list = append(list, strings.TrimSpace(f.Path+": "+f.Rule+": "+f.Why))
	}
	return text.Clip(strings.Join(list, "; "), maxEvidence, text.Ellipsis), nil
}
