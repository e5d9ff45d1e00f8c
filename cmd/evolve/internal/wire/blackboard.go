package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/session"
	"evolve/runtime/wholefile"
)

// blackboardFile, below .evolve, holds the entries that agents share between their turns.
const blackboardFile = "blackboard.json"

// maxBlackboard bounds the file, in bytes: the board's own bound, with JSON around it.
const maxBlackboard = 8 * session.MaxBoardBytes

// ReadBlackboard returns the posted entries; none if there is no file.
func ReadBlackboard(root string) ([]session.Posted, error) {
	path := filepath.Join(root, ".evolve", blackboardFile)
	data, err := wholefile.Read(path, maxBlackboard)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var posted []session.Posted
	if err == nil {
		err = json.Unmarshal(data, &posted)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Infrastructure, "remove the file: what is on it is only for hours", "the blackboard .evolve/%s cannot be read: %w", blackboardFile, err)
	}
	return posted, nil
}

// WriteBlackboard replaces an agent's entries with those it has posted. It keeps the
// entries of others, who may have written meanwhile.
func WriteBlackboard(root, agentID string, board *session.Board) error {
	own := board.Posted()
	isOwn := func(p session.Posted) bool { return p.Owner == agentID }
	if !slices.ContainsFunc(own, isOwn) {
		return nil
	}
	dir, err := workspace.MakeStateDir(root)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, blackboardFile+".lock"))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("locking the blackboard: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	posted, err := ReadBlackboard(root)
	if err != nil {
		return err
	}
	posted = slices.DeleteFunc(posted, isOwn)
	for _, p := range own {
		if isOwn(p) {
			posted = append(posted, p)
		}
	}
	data, err := json.Marshal(posted)
	if err != nil {
		return fmt.Errorf("writing the blackboard: %w", err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, blackboardFile), data, 0o600); err != nil {
		return fmt.Errorf("writing the blackboard: %w", err)
	}
	return nil
}
