package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
	"evolve/runtime/wholefile"
)

// maxLoweredBytes bounds one file of a lowered level.
const maxLoweredBytes = 64 << 10

// lowering is a level that a person lowered while another process held the archive.
type lowering struct {
	Agent  string              `json:"agent"`
	Change archive.LevelChange `json:"change"`
}

// Lowerings are the lowered levels that wait to be recorded. They hold already.
type Lowerings struct {
	list []lowering
	// unread names a file that cannot be read: no level above the lowest holds then.
	unread string
}

func loweredIn(root string) string {
	return filepath.Join((&workspace.Workspace{Root: root}).StateDir(), workspace.LoweredFolder)
}

// KeepLowering writes a lowered level that cannot be recorded now. It holds as soon as this
// returns, even if the process is killed.
func KeepLowering(root, agentID string, c archive.LevelChange) error {
	data, err := json.Marshal(lowering{agentID, c})
	if err != nil {
		return fmt.Errorf("encoding the level: %w", err)
	}
	if len(data) > maxLoweredBytes {
		return fmt.Errorf("the lowered level takes %d bytes, at most %d are allowed: shorten the reason", len(data), maxLoweredBytes)
	}
	if _, err := workspace.MakeStateDir(root); err != nil {
		return err
	}
	if err := os.MkdirAll(loweredIn(root), 0o700); err != nil {
		return fmt.Errorf("making .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	name := fmt.Sprintf("%019d-%d.json", c.Time.UnixNano(), os.Getpid())
	if err := renameio.WriteFile(filepath.Join(loweredIn(root), name), data, 0o600); err != nil {
		return fmt.Errorf("writing .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	return nil
}

// loweredFiles returns the paths of the lowered levels that wait, the oldest first.
func loweredFiles(root string) ([]string, error) {
	files, err := os.ReadDir(loweredIn(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, f := range files { // in the order of their names
		if spooledName.MatchString(f.Name()) {
			paths = append(paths, filepath.Join(loweredIn(root), f.Name()))
		}
	}
	return paths, err
}

func readLowering(path string) (lowering, error) {
	var l lowering
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = wholefile.ErrIrregular
	}
	if err != nil {
		return l, err
	}
	data, err := wholefile.Read(path, maxLoweredBytes)
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if c := l.Change; err == nil && (l.Agent == "" || !c.To.Valid() || strings.TrimSpace(c.By) == "" || strings.TrimSpace(c.Reason) == "" || c.Time.IsZero()) {
		err = errors.New("it is no lowered level of an agent")
	}
	return l, err
}

// ReadLowerings returns the lowered levels that wait. It must be called before the archive is
// read: a level that is recorded in between is then found there.
func ReadLowerings(root string) (Lowerings, error) {
	var all Lowerings
	paths, err := loweredFiles(root)
	if err != nil {
		return all, fmt.Errorf("reading .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	for _, path := range paths {
		l, err := readLowering(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was recorded meanwhile
		case err != nil:
			all.unread = filepath.Base(path)
		default:
			all.list = append(all.list, l)
		}
	}
	return all, nil
}

// On returns the record of a level as it holds with the lowerings that wait. Their changes
// have no ledger entry yet.
func (l Lowerings) On(r archive.AutonomyRecord) archive.AutonomyRecord {
	for _, w := range l.list {
		if w.Agent != r.Agent || w.Change.To >= r.Level {
			continue
		}
		c := w.Change
		c.From, c.Proposal, c.Entry, c.Imported = r.Level, "", 0, false
		r.Level, r.Changes = c.To, append(slices.Clip(r.Changes), c)
	}
	if l.unread != "" && r.Level > autonomy.Lowest {
		r.Level, r.Unproven = autonomy.Lowest, fmt.Sprintf("a lowered level cannot be read: .evolve/%s/%s", workspace.LoweredFolder, l.unread)
	}
	return r
}

// Autonomy returns the level of an agent that holds, with its history.
func Autonomy(ctx context.Context, root string, store *archive.Archive, agentID string) (archive.AutonomyRecord, error) {
	waiting, err := ReadLowerings(root)
	if err != nil {
		return archive.AutonomyRecord{}, err
	}
	r, err := store.Autonomy(ctx, agentID)
	if err != nil {
		return r, fmt.Errorf("reading the level of autonomy: %w", err)
	}
	return waiting.On(r), nil
}

// RecordLowerings records the lowered levels that wait. A file that cannot be read gets another
// name and stays; any other failure leaves it for the next process.
func (h *Host) RecordLowerings(root string, a *archive.Archive) {
	ctx := context.WithoutCancel(h.Ctx)
	paths, err := loweredFiles(root)
	if err != nil {
		h.Log.Warn("lowered levels of autonomy cannot be read", "error", err)
		return
	}
	for _, path := range paths {
		name := filepath.Base(path)
		l, err := readLowering(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			h.Log.Warn("a lowered level of autonomy cannot be read, and no longer holds: lower it again with `evolve autonomy lower`; its file is kept with the ending "+refusedEnding,
				"file", name, "error", text.Visible(err.Error()))
			_ = os.Rename(path, path+refusedEnding)
			continue
		}
		if err := recordLowering(ctx, a, l); err != nil {
			h.Log.Warn("a lowered level of autonomy holds, and waits on to be recorded", "agent", text.Visible(l.Agent), "error", err)
			return
		}
		if err := os.Remove(path); err != nil {
			h.Log.Warn("a lowered level of autonomy was recorded, and its file stays", "file", name, "error", err)
		}
	}
}

// recordLowering records a lowered level. A process that was killed before it removed the file
// has recorded it already.
func recordLowering(ctx context.Context, a *archive.Archive, l lowering) error {
	r, err := a.Autonomy(ctx, l.Agent)
	if err != nil {
		return err
	}
	recorded := slices.ContainsFunc(r.Changes, func(c archive.LevelChange) bool {
		return !c.Imported && c.To == l.Change.To && c.Time.Equal(l.Change.Time)
	})
	if recorded || l.Change.To >= r.Level {
		return nil
	}
	_, err = a.LowerAutonomy(ctx, l.Agent, l.Change)
	return err
}
