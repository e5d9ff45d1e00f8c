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

// FeedbackPath returns the path of the file that shows people the lessons from an agent's
// live turns. Agents receive the same content from the archive.
func FeedbackPath(root, agentID string) string {
	return filepath.Join((&Workspace{Root: root}).StateDir(), "feedback", agentID, session.FeedbackFile)
}

// WriteFeedback replaces the feedback file of an agent, or removes it if there is no text.
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
