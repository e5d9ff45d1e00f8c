package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// HoldSession reserves a conversation for this process until release is called. Without the
// reservation, a turn in another process could start from the same state, and one of the
// two turns would be lost.
func HoldSession(root, agentID, name string) (release func(), err error) {
	dir, err := workspace.MakeStateDir(root)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(agentID + "\x00" + name)) // the name may be any text
	lock, err := review.NewLock(filepath.Join(dir, "sessions", hex.EncodeToString(sum[:8])))
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, exit.Errorf(exit.Locked, "repeat the command when that turn is over", "another process is running a turn of session %.80q of %s", name, agentID)
	}
	return lock.Release, nil
}

// LiveFolder checks the folder that the file tools of a live turn read, and returns it
// without symbolic links. It must not contain files that an agent must never see: the tasks
// and evolve's records.
func LiveFolder(w *workspace.Workspace, a *workspace.Agent, path string) (string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return "", exit.Errorf(exit.Usage, "leave --dir out: the agent's own program reads files as its sandbox allows", "--dir is for the file tools of a built-in agent; the adapter of %s is %s", a.ID, a.Adapter.Kind)
	}
	folder, err := filepath.EvalSymlinks(path)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(folder); err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", filepath.Base(path))
		}
	}
	if err != nil {
		return "", exit.Errorf(exit.Usage, "--dir must name a folder", "opening the folder of the turn: %w", workspace.Reason(err))
	}
	hidden := []string{w.StateDir()}
	for _, s := range w.Suites {
		hidden = append(hidden, s.Dir)
	}
	for _, dir := range hidden {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if within(folder, dir) || within(dir, folder) {
			return "", exit.Errorf(exit.Usage, "name a folder that does not contain the workspace's tasks or .evolve", "the folder of a turn must not contain the workspace's tasks or .evolve, because an agent must not read them")
		}
	}
	return folder, nil
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
