// Package wire connects the parts of evolve for one process: agents with their models,
// tools, sandboxes and policies; graders; archives with the notary that signs them; and the
// reviewers that carry out decisions on proposals. It is the only package that reads the
// environment. It writes to the state folder of a workspace: the archive, the blackboard,
// and the hashes of tool descriptions. It parses no flags and prints no results.
package wire

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Host is the process for which agents, archives and reviewers are opened.
type Host struct {
	// Ctx ends with the process; an interrupt that lets a command finish its work does
	// not end Ctx.
	Ctx   context.Context
	Env   Environment
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// Stderr receives warnings, and messages about decisions and patches. Log writes
	// structured warnings. Quiet suppresses the progress messages of patches.
	Stderr io.Writer
	Log    *slog.Logger
	Quiet  bool
	// Command returns a command of evolve as it must be typed in the current folder.
	Command func(string) string
	// Reached is called at every step of a decision. Only tests set it.
	Reached func(step string) error

	// swept reports whether this process has already searched for unfinished work of killed
	// processes.
	swept atomic.Bool
	// recordings holds the recordings that are being written.
	recordings recordings
}

// Environment is the environment of the process, as NAME=value. The last entry for a name
// counts.
type Environment []string

// Get returns the value of a variable, or "" if it is not set.
func (e Environment) Get(name string) string {
	v, _ := e.Lookup(name)
	return v
}

// Lookup returns the value of a variable and whether it is set.
func (e Environment) Lookup(name string) (string, bool) {
	for _, kv := range slices.Backward(e) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// passed returns the named variables as NAME=value.
func (e Environment) passed(names []string) []string {
	var env []string
	for _, name := range names {
		if value, ok := e.Lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// headers returns headers by name, each with the value of the environment variable that is
// given for it. It leaves out headers whose variables are not set.
func (e Environment) headers(names map[string]string) map[string]string {
	out := map[string]string{}
	for header, name := range names {
		if value, ok := e.Lookup(name); ok {
			out[header] = value
		}
	}
	return out
}
