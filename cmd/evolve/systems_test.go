package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindowsIsRefused checks that a build for Windows ends with one sentence and nothing
// else.
func TestWindowsIsRefused(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		build := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "evolve.exe"), ".")
		build.Env = append(os.Environ(), "GOOS=windows", "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		if err == nil {
			t.Fatalf("it was built for %s", arch)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != 2 || lines[0] != "# evolve/cmd/evolve" || !strings.Contains(lines[1], "evolve runs on Linux and macOS: on Windows, build and run it inside WSL 2") {
			t.Errorf("%s: %s", arch, out)
		}
	}
}
