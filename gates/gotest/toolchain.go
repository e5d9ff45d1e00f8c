package gotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
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
	cmd.WaitDelay = time.Second // a script in place of go may leave a program that holds the output open
	cmd.Dir = "/"               // a folder where no go.mod selects another version
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
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

// Command returns the path of the Go command.
func (t Toolchain) Command() string { return filepath.Join(t.Root, "bin", "go") }

// Environment returns fixed environment variables without GOCACHE: no file or variable,
// of the user or of the tree, changes Go's behaviour. vendored builds with the
// dependencies in the tree; work is the path of a go.work, "off" for none.
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
