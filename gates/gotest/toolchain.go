package gotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Toolchain is an installed Go.
type Toolchain struct {
	// Root is its folder, Version what it calls itself, such as go1.26.0.
	Root, Version string
	// Modules is the folder of downloaded modules, which may not exist.
	Modules string
}

// FindToolchain asks the Go command ("go": the one in PATH) for its version and root. The
// result is valid until another version is installed.
func FindToolchain(ctx context.Context, command string) (Toolchain, error) {
	cmd := exec.CommandContext(ctx, command, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	cmd.Dir = "/" // where no go.mod asks for another
	out, err := cmd.Output()
	if err != nil {
		return Toolchain{}, fmt.Errorf("running go env: %w", err)
	}
	var said struct{ GOROOT, GOVERSION, GOMODCACHE string }
	if err := json.Unmarshal(out, &said); err != nil {
		return Toolchain{}, fmt.Errorf("running go env: %w", err)
	}
	if !filepath.IsAbs(said.GOROOT) {
		return Toolchain{}, errors.New("running go env: it printed no GOROOT")
	}
	return Toolchain{Root: said.GOROOT, Version: said.GOVERSION, Modules: said.GOMODCACHE}, nil
}

func (t Toolchain) bin() string     { return filepath.Join(t.Root, "bin") }
func (t Toolchain) command() string { return filepath.Join(t.bin(), "go") }
