package patch

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Change is a commit of a history: its first line is foreign text, its time that of the
// author.
type Change struct {
	Commit, Subject string
	Time            time.Time
}

// FirstChange returns the first commit after from, up to and including to, that changed a
// folder, which is relative to that of the repository; there is false for none. It fails
// with ErrNoGit if git is not installed.
func (r *Repository) FirstChange(ctx context.Context, from, to, folder string) (c Change, there bool, err error) {
	if !hashForm.MatchString(from) || !hashForm.MatchString(to) {
		return Change{}, false, fmt.Errorf("reading the history: %.20q or %.20q is not a commit", from, to)
	}
	log, err := r.native(ctx, r.dir, "log", "-z", "--reverse", "--topo-order", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%H%n%aI%n%s",
		from+".."+to, "--", ":(literal)"+folder)
	if err != nil {
		return Change{}, false, fmt.Errorf("reading the history: %w", err)
	}
	first, _, _ := strings.Cut(log, "\x00")
	lines := strings.SplitN(strings.TrimLeft(first, "\n"), "\n", 3)
	if len(lines) < 3 {
		return Change{}, false, nil
	}
	at, err := time.Parse(time.RFC3339, lines[1])
	if err != nil {
		return Change{}, false, fmt.Errorf("reading the history: %w", err)
	}
	return Change{lines[0], strings.TrimSpace(lines[2]), at}, true, nil
}
