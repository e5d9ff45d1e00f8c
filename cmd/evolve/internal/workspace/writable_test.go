package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTryWrite(t *testing.T) {
	dir := t.TempDir()
	if err := TryWrite(dir); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
	if err := TryWrite(filepath.Join(dir, "absent")); err == nil {
		t.Error("a folder that is not there can be written")
	}
}
