package gotest

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"time"
)

// Toolchain is an installed Go toolchain.
type Toolchain struct {
	// Root is the folder of the toolchain. Version is its version, such as go1.26.0.
	Root, Version string
	// Modules is the folder for downloaded modules, which may not exist.
	Modules string
}

// NoToolchainError reports that Go is not installed or does not run.
type NoToolchainError struct{ Err error }

func (e *NoToolchainError) Error() string {
	if errors.Is(e.Err, exec.ErrNotFound) {
		return "Go is not installed: go is not in PATH"
	}
	return "running go env: " + e.Err.Error()
}

func (e *NoToolchainError) Unwrap() error { return e.Err }

// FindToolchain runs the Go command to get its version and root. The command "go" means the
// one in PATH. The result is valid until another version is installed. The error is a
// *NoToolchainError.
func FindToolchain(ctx context.Context, command string) (Toolchain, error) {
	cmd := exec.CommandContext(ctx, command, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	cmd.WaitDelay = time.Second // a wrapper script for go may leave behind a process that keeps the output open
	cmd.Dir = "/"               // a folder where no go.mod selects another version
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return Toolchain{}, &NoToolchainError{err}
	}
	var env struct{ GOROOT, GOVERSION, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return Toolchain{}, &NoToolchainError{err}
	}
	if !filepath.IsAbs(env.GOROOT) {
		return Toolchain{}, &NoToolchainError{errors.New("it printed no GOROOT")}
	}
	return Toolchain{Root: env.GOROOT, Version: env.GOVERSION, Modules: env.GOMODCACHE}, nil
}

// Command returns the path of the Go command.
func (t Toolchain) Command() string { return filepath.Join(t.Root, "bin", "go") }

// Environment returns fixed values for the variables that affect Go's behaviour, except
// GOCACHE, so that neither the user's settings nor files in the tree change that
// behaviour. vendored makes Go build with the dependencies vendored in the tree. work is
// the path of a go.work, or "off" if none is used.
func (t Toolchain) Environment(vendored, cgo bool, work string) []string {
	mode, c := "-mod=readonly", "0"
	if vendored {
		mode = "-mod=vendor"
	}
	if cgo {
		c = "1"
	}
	return []string{
		"PATH=" + filepath.Join(t.Root, "bin") + ":/usr/local/bin:/usr/bin:/bin", "GOFLAGS=" + mode + " -buildvcs=false",
		"GOENV=off", "GOPROXY=off", "GOSUMDB=off", "GOVCS=*:off", "GOTOOLCHAIN=local", "GO111MODULE=on",
		"GOWORK=" + work, "CGO_ENABLED=" + c, "GOMODCACHE=" + t.Modules,
	}
}
