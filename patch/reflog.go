package patch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// log appends a move to the ref's log under the same conditions as git: if there is a log,
// or if core.logAllRefUpdates asks for one. In a repository with a working tree, that
// setting defaults to logging branches, remote branches and notes.
func (r *Repository) log(m Move) error {
	path := filepath.Join(r.common, "logs", filepath.FromSlash(m.Ref))
	flags := os.O_WRONLY | os.O_APPEND
	create, err := r.logged(m.Ref)
	if err != nil {
		return err
	}
	if create {
		if err := makeDirs(r.common, filepath.Dir(path)); err != nil {
			return fmt.Errorf("writing the reflog: %w", err)
		}
		// Deleting refs leaves the folders of their logs behind, one of which may be at the
		// path of this log.
		if _, err := removeEmpty(path); err != nil {
			return fmt.Errorf("writing the reflog: %w", err)
		}
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if noFile(err) && !create {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the reflog: %w", err)
	}
	old := m.Old
	if old == "" {
		old = zero
	}
	// The line is written in a single call, so that the lines of two writers do not mix.
	// Git ignores a line with the time 0.
	_, err = fmt.Fprintf(f, "%s %s %s <%s> %d %s\t%s\n", old, m.New, plain(m.By.Name), plain(m.By.Email), max(m.By.When.Unix(), 1), m.By.When.Format("-0700"), oneLine(m.Reason))
	return errors.Join(err, f.Close())
}

// logged reports whether git creates a log for a ref that has none.
func (r *Repository) logged(name string) (bool, error) {
	settings, err := r.settings()
	if err != nil {
		return false, err
	}
	value, set := settings.get("core", "logallrefupdates")
	switch {
	case strings.EqualFold(value, "always"):
		return true, nil
	case set && !parseBool(value), !set && r.top == "":
		return false, nil
	}
	for _, under := range []string{"refs/heads/", "refs/remotes/", "refs/notes/"} {
		if strings.HasPrefix(name, under) {
			return true, nil
		}
	}
	return false, nil
}

// plain removes from a name the characters that would end the name in a log.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == '<' || c == '>' {
			return -1
		}
		return c
	}, s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
