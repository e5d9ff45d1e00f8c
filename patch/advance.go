package patch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// CheckedOutError reports that a branch is checked out in a working tree that cannot be
// fast-forwarded together with the branch. The branch was not moved.
type CheckedOutError struct {
	Branch string
	// Folder is the root of the working tree; it is empty if unknown. Why describes the
	// obstacle.
	Folder, Why string
	// Command is a command that a person can run once the obstacle is gone; it is empty if
	// there is none.
	Command string
	// Err is the error from native git, or ErrNoGit; it is nil if git was not run.
	Err error
}

func (e *CheckedOutError) Error() string {
	text := strings.TrimPrefix(e.Branch, "refs/heads/") + " is checked out"
	if e.Folder != "" {
		text += " in " + e.Folder
	}
	text += ": " + e.Why
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *CheckedOutError) Unwrap() error { return e.Err }

// Advance moves a branch forward to a commit that has the branch's present commit as one of
// its parents. If the branch is not checked out, Advance moves it with the lock protocol.
// If it is checked out in one working tree, and the files of the commit are clean there,
// native git fast-forwards it in that working tree, which updates files and index and
// preserves other changes. In all other cases Advance changes nothing and returns a
// *CheckedOutError. It returns ErrMoved if the branch is not at m.Old.
func (r *Repository) Advance(ctx context.Context, m Move) error {
	if !strings.HasPrefix(m.Ref, "refs/heads/") {
		return fmt.Errorf("%q is not a branch", m.Ref)
	}
	if err := r.follows(m); err != nil {
		return err
	}
	places, err := r.Checkouts(m.Ref)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		m.Check = func() error { // another process may have checked out the branch in the meantime
			places, err := r.Checkouts(m.Ref)
			if err == nil && len(places) > 0 {
				err = &CheckedOutError{Branch: m.Ref, Folder: places[0].Folder, Why: "it was checked out during the move"}
			}
			return err
		}
		return r.Move(m)
	}
	return r.advanceCheckout(ctx, m, places)
}

// follows returns an error unless the branch's old commit is a parent of the new commit.
func (r *Repository) follows(m Move) error {
	return r.with(func(s *store) error {
		c, err := s.commit(m.New)
		if err != nil {
			return err
		}
		if !hashForm.MatchString(m.Old) || !slices.Contains(c.ParentHashes, plumbing.NewHash(m.Old)) {
			return fmt.Errorf("the commit %s does not have the parent %s", orNone(m.New), orNone(m.Old))
		}
		return nil
	})
}

// checkCheckout returns an error if a branch cannot be fast-forwarded together with the
// working tree in which it is checked out. Uncommitted changes to the paths that the move
// changes prevent a fast-forward; these paths are relative to the root of the working tree.
// Changes to a file that a filter driver processes do not count, because only that driver
// could detect a change, and git does not touch such a file.
func (r *Repository) checkCheckout(ctx context.Context, m Move, places []Checkout, paths []string) error {
	at := places[0]
	no := func(why string, err error) error { return inUse(m, places, why, err) }
	if len(places) > 1 {
		return no(fmt.Sprintf("it is also checked out in %d other working trees", len(places)-1), nil)
	}
	if at.Busy != "" {
		return no("a "+at.Busy+" is in progress there", nil)
	}
	if at.Folder == "" {
		return no("the repository does not record the folder of the working tree", nil)
	}
	if info, err := os.Stat(at.Folder); err != nil || !info.IsDir() {
		places = []Checkout{{}}
		return no("the working tree does not exist: `git worktree prune` removes its record", nil)
	}
	now, err := r.Ref(m.Ref)
	if err != nil || now != m.Old {
		return errors.Join(err, fmt.Errorf("moving the branch %s: %w: it is at %s, not %s", m.Ref, ErrMoved, orNone(now), orNone(m.Old)))
	}
	var changed []string
	if len(paths) > 0 { // no paths would mean all paths
		changed, err = r.status(ctx, at.Folder, "no", paths...)
	}
	if err == nil {
		changed, err = r.unfiltered(ctx, at.Folder, changed)
	}
	switch {
	case errors.Is(err, ErrNoGit):
		return no("updating a checked-out working tree needs git", err)
	case err != nil:
		return no("the state of the working tree cannot be read", err)
	case len(changed) > 0:
		return no("the working tree has uncommitted changes ("+firstFew(changed)+")", nil)
	}
	return nil
}

// inUse returns the error for a branch that was not moved because of a working tree.
func inUse(m Move, places []Checkout, why string, err error) error {
	at := places[0]
	e := &CheckedOutError{Branch: m.Ref, Folder: at.Folder, Why: why, Err: err}
	if at.Folder != "" && len(places) == 1 && m.New != "" {
		e.Command = "git -C " + shellWord(at.Folder) + " merge --ff-only " + m.New
	}
	return e
}

// advanceCheckout fast-forwards the only working tree in which a branch is checked out.
func (r *Repository) advanceCheckout(ctx context.Context, m Move, places []Checkout) error {
	paths, err := r.Changed(m.Old, m.New)
	if err != nil {
		return err
	}
	if err := r.checkCheckout(ctx, m, places, paths); err != nil {
		return err
	}
	at := places[0]
	if err := r.fastForward(ctx, at.Folder, m.New); err != nil {
		return inUse(m, places, "git did not fast-forward the branch", err)
	}
	// If another branch was checked out there in the meantime, git has moved that branch
	// instead.
	now, err := r.Ref(m.Ref)
	if err == nil && now != m.New {
		err = fmt.Errorf("moving the branch %s: %w: it is at %s, not %s", m.Ref, ErrMoved, orNone(now), orNone(m.New))
	}
	return err
}

// firstFew joins the first few of a list of paths.
func firstFew(paths []string) string {
	const few = 3
	if len(paths) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), len(paths)-few)
	}
	return strings.Join(paths, ", ")
}

// shellWord quotes a path for a shell if necessary.
func shellWord(s string) string {
	if s == filepath.Clean(s) && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("/._-+@:,", c)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shellWords returns a list of arguments as part of a shell command.
func shellWords(list []string) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = shellWord(s)
	}
	return strings.Join(words, " ")
}
