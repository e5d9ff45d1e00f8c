package backup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"evolve/archive"
	"evolve/runtime/wholefile"
)

// Backup is a copy of the archive made after a nightly run.
type Backup struct {
	File string `json:"file"`
	// Time is when the backup was made, in whole seconds.
	Time time.Time `json:"time"`
	// Night is the number of the run after which the backup was made.
	Night int `json:"night"`
	// Bytes is its size.
	Bytes int64 `json:"bytes"`

	archive string
}

// Backups is a folder of backups, which several workspaces may share.
type Backups struct {
	Dir string
	// Keep is the number of backups retained for each archive; 0 means that none are made.
	Keep int
	// State is the workspace's state folder, where a note about the last backup is stored.
	State string
}

const stamp = "20060102T150405Z"

// names matches the file names of backups, which consist of the archive's id, the time and
// the run's number.
var names = regexp.MustCompile(`^night-([0-9a-f]{16})-([0-9]{8}T[0-9]{6}Z)-([0-9]+)\.backup$`)

// List returns the backups in the folder, the oldest first; it returns none if the folder
// does not exist.
func (b Backups) List() ([]Backup, error) {
	entries, err := os.ReadDir(b.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for backups: %w", err)
	}
	var list []Backup
	for _, e := range entries {
		parts := names.FindStringSubmatch(e.Name())
		if parts == nil || !e.Type().IsRegular() {
			continue
		}
		made, err := time.Parse(stamp, parts[2])
		night, err2 := strconv.Atoi(parts[3])
		info, err3 := e.Info()
		if errors.Join(err, err2, err3) != nil {
			continue // the name holds no valid time or number, or the file was removed meanwhile
		}
		list = append(list, Backup{filepath.Join(b.Dir, e.Name()), made, night, info.Size(), parts[1]})
	}
	slices.SortStableFunc(list, func(a, b Backup) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Night, b.Night)) })
	return list, nil
}

// Write makes the backup after a nightly run and removes all but the newest Keep backups of
// the same archive. The archive must be open for writing. Write records the result, which
// Look returns. If the backup fails, no older one is removed.
func (b Backups) Write(ctx context.Context, a *archive.Archive, night int, now time.Time) (Backup, error) {
	state := Look(b.State)
	state.Trouble = ""
	made, err := b.write(ctx, a, night, now.UTC().Truncate(time.Second))
	if err != nil {
		err = fmt.Errorf("making a backup in %s: %w", b.Dir, err)
		state.Fault = &Fault{night, now.UTC().Truncate(time.Second), err.Error()}
	} else {
		state = State{Last: &made}
	}
	return made, errors.Join(err, note(b.State, state))
}

func (b Backups) write(ctx context.Context, a *archive.Archive, night int, now time.Time) (Backup, error) {
	made := Backup{Time: now, Night: night}
	id, err := a.ID(ctx)
	if err != nil {
		return made, err
	}
	made.archive = id
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return made, err
	}
	if err := b.sweep(id); err != nil {
		return made, err
	}
	made.File = filepath.Join(b.Dir, fmt.Sprintf("night-%s-%s-%d.backup", id, now.Format(stamp), night))
	held, err := a.BackupFile(ctx, made.File, true)
	if err != nil {
		return made, err
	}
	made.Bytes = held.Bytes
	return made, b.rotate(id)
}

// sweep removes the partial backups that a killed process left behind. None of them is in
// use, because only this process holds the archive.
func (b Backups) sweep(id string) error {
	entries, err := os.ReadDir(b.Dir)
	for _, e := range entries {
		if err == nil && strings.HasPrefix(e.Name(), ".night-"+id+"-") && e.Type().IsRegular() {
			err = os.Remove(filepath.Join(b.Dir, e.Name()))
		}
	}
	return err
}

// rotate removes all but the newest Keep backups of the archive with the given id.
func (b Backups) rotate(id string) error {
	list, err := b.List()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(o Backup) bool { return o.archive != id })
	for _, old := range list[:max(0, len(list)-b.Keep)] {
		if err := os.Remove(old.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an old backup: %w", err)
		}
	}
	return nil
}

// Fault describes a backup that could not be made.
type Fault struct {
	Night int       `json:"night"`
	Time  time.Time `json:"time"`
	// Reason may name paths.
	Reason string `json:"reason"`
}

// State is the state of a workspace's backups.
type State struct {
	// Last is the newest backup, if its file still exists.
	Last *Backup `json:"last,omitempty"`
	// Fault is the reason why the latest run's backup failed; nil if it succeeded.
	Fault *Fault `json:"fault,omitempty"`
	// Trouble describes a problem with the newest backup's file, or with the note about it.
	// It is empty if there is none that can be detected without reading the file.
	Trouble string `json:"trouble,omitempty"`
}

// noteName is the file in a workspace's state folder that holds the State.
const noteName = "backups.json"

// maxNote limits the size of the note file, in bytes.
const maxNote = 64 << 10

// note writes s to the note file. The path of a backup inside the workspace is stored
// relative to the workspace, so that the workspace may be moved or copied.
func note(stateDir string, s State) error {
	if s.Last != nil {
		last := *s.Last
		if inside, err := filepath.Rel(filepath.Dir(stateDir), last.File); err == nil && filepath.IsLocal(inside) {
			last.File = inside
		}
		s.Last = &last
	}
	raw, err := json.Marshal(s)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(stateDir, noteName), append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("recording the backup: %w", err)
	}
	return nil
}

// Look returns the state of a workspace's backups from its state folder, or the zero
// State if there is no note.
func Look(stateDir string) State {
	var s State
	raw, err := wholefile.Read(filepath.Join(stateDir, noteName), maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return State{Trouble: fmt.Sprintf("the record of the last backup cannot be read: %s: %s", noteName, err)}
	}
	if s.Trouble = ""; s.Last == nil {
		return s
	}
	s.Last.File = fileOf(stateDir, s.Last.File)
	switch info, err := os.Stat(s.Last.File); {
	case errors.Is(err, fs.ErrNotExist):
		s.Trouble = fmt.Sprintf("the last backup is missing: %s", s.Last.File)
	case err != nil:
		s.Trouble = fmt.Sprintf("the last backup cannot be read: %s", err)
	case info.Size() != s.Last.Bytes:
		s.Trouble = fmt.Sprintf("the last backup is damaged: %s has %d bytes, not %d", s.Last.File, info.Size(), s.Last.Bytes)
	}
	if s.Trouble != "" {
		s.Last = nil
	}
	return s
}

// fileOf returns the path of a backup, given the path in the note. Older versions of evolve
// stored an absolute path even for a backup in the state folder. If the workspace was moved
// or copied since, the file in its own state folder is used.
func fileOf(stateDir, noted string) string {
	if !filepath.IsAbs(noted) {
		return filepath.Join(filepath.Dir(stateDir), noted)
	}
	state := string(filepath.Separator) + filepath.Base(stateDir) + string(filepath.Separator)
	if i := strings.LastIndex(noted, state); i >= 0 {
		own := filepath.Join(stateDir, noted[i+len(state):])
		if _, err := os.Lstat(own); err == nil {
			return own
		}
	}
	return noted
}

// LookInto is like Look, and also checks the newest backup against its checksum.
func LookInto(stateDir string) State {
	s := Look(stateDir)
	if s.Last == nil {
		return s
	}
	f, err := wholefile.Open(s.Last.File)
	if err == nil {
		err = errors.Join(archive.CheckBackup(f), f.Close())
	}
	if err != nil {
		s.Trouble, s.Last = fmt.Sprintf("the last backup cannot be restored: %s: %s", s.Last.File, err), nil
	}
	return s
}
