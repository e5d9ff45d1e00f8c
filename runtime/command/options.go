package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/runtime/sandbox"
)

// The protocols.
const (
	JSONL = "jsonl" // a pool of long-running processes, one request at a time each
	Once  = "once"  // a process a task
)

// Options configure an agent that is a program.
type Options struct {
	// Argv is the program and its arguments. A word that names a file in Dir becomes
	// the path of that file.
	Argv []string
	// Dir is the agent's folder, absolute: the program starts in it and cannot
	// change it.
	Dir string
	// Protocol is JSONL or Once (the default).
	Protocol string
	// Pool is the number of processes at once; 0 means 1.
	Pool int
	// Timeout bounds one task; 0 leaves it to the request. Without either it is ten
	// minutes.
	Timeout time.Duration
	// Env is the program's environment, as NAME=value.
	Env []string
	// Sandbox isolates the program.
	Sandbox sandbox.Sandbox
	// Network lets the program use the host's network. Without it the result of a task
	// that failed for lack of it, and the transcript, name the key that allows it
	// ([Offline]).
	Network bool
	// Scrub removes credentials from what is kept of the program's text; required.
	Scrub func(string) string
	// Scratch is the folder of the working directories. If it is empty, the requests
	// have none. With JSONL a process outlives many of them, so it sees the whole of
	// Scratch, including those of this agent's other requests; with Once a process sees
	// only its own.
	Scratch string
	// Hidden are folders that stay invisible even inside a folder that the program must
	// see.
	Hidden []string
}

const (
	defaultTimeout = 10 * time.Minute
	maxResponse    = 1 << 20 // bytes
)

// New checks the options and returns the agent. Nothing is started before the first
// task.
func New(o Options) (*Agent, error) {
	o.Pool = max(o.Pool, 1)
	if o.Protocol == "" {
		o.Protocol = Once
	}
	switch {
	case len(o.Argv) == 0 || o.Argv[0] == "":
		return nil, errors.New("the command names no program")
	case !filepath.IsAbs(o.Dir):
		return nil, fmt.Errorf("the agent's folder %q is not absolute", o.Dir)
	case o.Scratch != "" && !filepath.IsAbs(o.Scratch):
		return nil, fmt.Errorf("the folder of working directories %q is not absolute", o.Scratch)
	case o.Protocol != JSONL && o.Protocol != Once:
		return nil, fmt.Errorf("there is no protocol %q", o.Protocol)
	case o.Timeout < 0:
		return nil, errors.New("a limit of the command is out of range")
	case o.Scrub == nil:
		return nil, errors.New("the command needs a scrubber")
	case slices.ContainsFunc(o.Argv, func(word string) bool { return strings.ContainsRune(word, 0) }):
		return nil, errors.New("a word of the command has a NUL byte")
	}
	o.Argv = resolve(o.Argv, o.Dir)
	a := &Agent{o: o, processes: &processes{free: make(chan struct{}, o.Pool)}, live: map[*worker]struct{}{}}
	a.processes.vacate(o.Pool)
	return a, nil
}

// resolve replaces the words that name files of the agent's folder by their paths.
func resolve(argv []string, dir string) []string {
	out := slices.Clone(argv)
	for i, word := range out {
		if word == "" || filepath.IsAbs(word) {
			continue
		}
		path := filepath.Join(dir, word)
		info, err := os.Stat(path)
		if i == 0 && strings.Contains(word, "/") || err == nil && info.Mode().IsRegular() {
			out[i] = path
		}
	}
	return out
}
