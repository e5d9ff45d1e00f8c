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
	// Root is its folder, Version its version, such as go1.26.0.
	Root, Version string
	// Modules is the folder of downloaded modules, which may not exist.
	Modules string
}

// FindToolchain runs the Go command ("go": the one in PATH) to get its version and
// root. The result is valid until another version is installed.
func FindToolchain(ctx context.Context, command string) (Toolchain, error) {
	cmd := exec.CommandContext(ctx, command, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	cmd.Dir = "/" // where no go.mod selects another version
	out, err := cmd.Output()
	if err != nil {
		return Toolchain{}, fmt.Errorf("running go env: %w", err)
	}
	var env struct{ GOROOT, GOVERSION, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return Toolchain{}, fmt.Errorf("running go env: %w", err)
	}
	if !filepath.IsAbs(env.GOROOT) {
		return Toolchain{}, errors.New("running go env: it printed no GOROOT")
	}
	return Toolchain{Root: env.GOROOT, Version: env.GOVERSION, Modules: env.GOMODCACHE}, nil
}

func (t Toolchain) bin() string     { return filepath.Join(t.Root, "bin") }
func (t Toolchain) command() string { return filepath.Join(t.bin(), "go") }
