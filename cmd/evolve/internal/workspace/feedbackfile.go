package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"evolve/runtime/session"
)

// FeedbackPath returns the file with what an agent's live turns have shown, for people. The
// archive has the same, and agents are given that.
func FeedbackPath(root, agentID string) string {
	return filepath.Join((&Workspace{Root: root}).StateDir(), "feedback", agentID, session.FeedbackFile)
}

// WriteFeedback replaces that file; without a text it removes it.
func WriteFeedback(root, agentID, text string) error {
	path := FeedbackPath(root, agentID)
	if err := CheckState(root); err != nil {
		return err
	}
	if text == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing %s: %w", filepath.Base(path), Reason(err))
		}
		return nil
	}
	if was, err := os.ReadFile(path); err == nil && string(was) == text {
		return nil
	}
	if _, err := MakeStateDir(root); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = renameio.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), Reason(err))
	}
	return nil
}
