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
	"time"

	"github.com/google/renameio/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
	"evolve/runtime/text"
	"evolve/runtime/wholefile"
)

// maxLoweredBytes limits the size of one file with a lowered level.
const maxLoweredBytes = 64 << 10

// lowering is a level that a person lowered, or a tool that a person forbade, while another
// process held the archive.
type lowering struct {
	Agent  string              `json:"agent"`
	Change archive.LevelChange `json:"change,omitzero"`
	// Forbids is the prohibition; it is nil for a lowered level.
	Forbids *experience.Feedback `json:"forbids,omitempty"`
}

// sound reports whether a lowering that was read from a file has the form that a command
// writes.
func (l lowering) sound() bool {
	if f := l.Forbids; f != nil {
		return l.Agent != "" && f.Forbids() && f.Tool != "" && strings.TrimSpace(f.By) != "" && !f.Time.IsZero()
	}
	c := l.Change
	return l.Agent != "" && c.To.Valid() && strings.TrimSpace(c.By) != "" && strings.TrimSpace(c.Reason) != "" && !c.Time.IsZero()
}

// Lowerings holds the prohibitions and the lowered levels that are waiting to be
// recorded. They are already in force.
type Lowerings struct {
	list, forbidding []lowering
	// unread names a file that cannot be read. If it is set, only the lowest level applies.
	unread string
}

func loweredIn(root string) string {
	return filepath.Join((&workspace.Workspace{Root: root}).StateDir(), workspace.LoweredFolder)
}

// KeepLowering writes a lowered level to a file because it cannot be recorded now. The
// level is in force as soon as KeepLowering returns, even if the process is killed
// afterwards.
func KeepLowering(root, agentID string, c archive.LevelChange) error {
	return keepLowering(root, lowering{Agent: agentID, Change: c}, c.Time)
}

// KeepProhibition writes the prohibition of a tool to a file because it cannot be recorded
// now. The prohibition applies to turns that begin after KeepProhibition returns.
func KeepProhibition(root, agentID string, f experience.Feedback) error {
	return keepLowering(root, lowering{Agent: agentID, Forbids: &f}, f.Time)
}

func keepLowering(root string, l lowering, at time.Time) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encoding the level: %w", err)
	}
	if len(data) > maxLoweredBytes {
		return fmt.Errorf("the record is %d bytes long; at most %d are allowed: shorten the reason", len(data), maxLoweredBytes)
	}
	if _, err := workspace.MakeStateDir(root); err != nil {
		return err
	}
	if err := os.MkdirAll(loweredIn(root), 0o700); err != nil {
		return fmt.Errorf("creating .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	name := fmt.Sprintf("%019d-%d.json", at.UnixNano(), os.Getpid())
	if err := renameio.WriteFile(filepath.Join(loweredIn(root), name), data, 0o600); err != nil {
		return fmt.Errorf("writing .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	return nil
}

// loweredFiles returns the paths of the files whose lowered levels wait to be recorded,
// the oldest first.
func loweredFiles(root string) ([]string, error) {
	files, err := os.ReadDir(loweredIn(root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var paths []string
	for _, f := range files { // sorted by name
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
	if err == nil && !l.sound() {
		err = errors.New("its content is not valid")
	}
	return l, err
}

// ReadLowerings returns the waiting lowered levels. It must be called before the archive is
// read, so that a level that is recorded in between is found in the archive.
func ReadLowerings(root string) (Lowerings, error) {
	var all Lowerings
	paths, err := loweredFiles(root)
	if err != nil {
		return all, fmt.Errorf("reading .evolve/%s: %w", workspace.LoweredFolder, err)
	}
	for _, path := range paths {
		l, err := readLowering(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the lowering was recorded meanwhile
		case err != nil:
			all.unread = filepath.Base(path)
		case l.Forbids != nil:
			all.forbidding = append(all.forbidding, l)
		default:
			all.list = append(all.list, l)
		}
	}
	return all, nil
}

// On returns a level's record after applying the waiting lowerings. The lowerings have no
// ledger entries yet.
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
		r.Level, r.Unproven = autonomy.Lowest, fmt.Sprintf("the lowered level of autonomy in .evolve/%s/%s cannot be read", workspace.LoweredFolder, l.unread)
	}
	return r
}

// Forbid adds the waiting prohibitions for an agent to the agent's experience. A
// prohibition that is already recorded is not added again. If the agent already has the
// maximum amount of feedback, Forbid returns an error.
func (l Lowerings) Forbid(agentID string, e *experience.Experience) error {
	for _, w := range l.forbidding {
		if w.Agent != agentID || recordedFeedback(e, *w.Forbids) {
			continue
		}
		if _, err := e.AddFeedback(*w.Forbids); err != nil {
			return fmt.Errorf("adding a pending prohibition: %w", err)
		}
	}
	return nil
}

// recordedFeedback reports whether an experience has a given piece of feedback, under
// whatever id.
func recordedFeedback(e *experience.Experience, f experience.Feedback) bool {
	return slices.ContainsFunc(e.Feedback, func(g experience.Feedback) bool {
		return g.Time.Equal(f.Time) && g.Tool == f.Tool && g.Action == f.Action && g.By == f.By
	})
}

// Autonomy returns the level of autonomy that applies to an agent, with its history.
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

// RecordLowerings records the lowered levels that still wait to be recorded. A file that
// cannot be read is renamed and not deleted. After any other failure, the file is left
// for the next process.
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
			if failed := os.Rename(path, path+refusedEnding); failed != nil {
				h.Log.Warn("the file of a lowered level of autonomy can neither be read nor renamed, so the lowest level is in force for every agent: delete the file, then lower the level again with `evolve autonomy lower`",
					"file", name, "error", text.Visible(errors.Join(err, failed).Error()))
				continue
			}
			h.Log.Warn("the file that records a lowered level of autonomy cannot be read, so that level is no longer in force: lower the level again with `evolve autonomy lower`; the file is kept with the ending "+refusedEnding,
				"file", name, "error", text.Visible(err.Error()))
			continue
		}
		if err := recordLowering(ctx, a, l); err != nil {
			h.Log.Warn("a lowered level of autonomy is in force, but not yet recorded", "agent", text.Visible(l.Agent), "error", err)
			return
		}
		if err := os.Remove(path); err != nil {
			h.Log.Warn("a lowered level of autonomy was recorded, but its file could not be removed", "file", name, "error", err)
		}
	}
}

// recordLowering records a lowered level. If a process was killed before it removed the
// file, the level may already be recorded.
func recordLowering(ctx context.Context, a *archive.Archive, l lowering) error {
	if l.Forbids != nil {
		return recordProhibition(ctx, a, l)
	}
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

// recordProhibition records a prohibition as `evolve feedback add` does, with the time at
// which it was given.
func recordProhibition(ctx context.Context, a *archive.Archive, l lowering) error {
	entry := archive.LedgerEntry{Time: l.Forbids.Time, Kind: "feedback.add", Actor: l.Forbids.By}
	there := errors.New("recorded")
	err := a.UpdateExperience(ctx, l.Agent, &entry, func(e *experience.Experience) error {
		if recordedFeedback(e, *l.Forbids) {
			return there
		}
		f, err := e.AddFeedback(*l.Forbids)
		if err != nil {
			return err
		}
		entry.Data, err = json.Marshal(map[string]any{"feedback": f})
		return err
	})
	if errors.Is(err, there) {
		return nil
	}
	return err
}
