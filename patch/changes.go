package patch

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Change is a commit in a history. Subject is the first line of its message, which is
// untrusted text. The time is the author's.
type Change struct {
	Commit, Subject string
	Time            time.Time
}

// Changes returns the commits in from..to, in git's notation, that changed a file or
// folder in paths, which are relative to the folder of the repository. It returns them in
// chronological order together with their total number; if there are more than most, it
// returns only the earliest ones. It fails with ErrNoGit if git is not installed.
func (r *Repository) Changes(ctx context.Context, from, to string, most int, paths ...string) (list []Change, all int, err error) {
	if !hashForm.MatchString(from) || !hashForm.MatchString(to) {
		return nil, 0, fmt.Errorf("reading the history: %.20q or %.20q is not a commit", from, to)
	}
	args := []string{"log", "-z", "--reverse", "--topo-order", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%H%n%aI%n%s", from + ".." + to, "--"}
	for _, p := range paths {
		args = append(args, ":(literal)"+p)
	}
	log, err := r.native(ctx, r.dir, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("reading the history: %w", err)
	}
	for entry := range strings.SplitSeq(log, "\x00") {
		lines := strings.SplitN(strings.TrimLeft(entry, "\n"), "\n", 3)
		if len(lines) < 3 {
			continue
		}
		if all++; len(list) == most {
			continue
		}
		at, err := time.Parse(time.RFC3339, lines[1])
		if err != nil {
			return nil, 0, fmt.Errorf("reading the history: %w", err)
		}
		list = append(list, Change{lines[0], strings.TrimSpace(lines[2]), at})
	}
	return list, all, nil
}
