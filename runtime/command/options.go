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
	JSONL = "jsonl" // a pool of long-running processes, each handling one request at a time
	Once  = "once"  // a process a task
)

// Options configure an agent that is a program.
type Options struct {
	// Argv is the program and its arguments. A word that names a file in Dir is replaced
	// with the path of that file.
	Argv []string
	// Dir is the absolute path of the agent's folder. The program starts in it and cannot
	// change it.
	Dir string
	// Protocol is JSONL or Once (the default).
	Protocol string
	// Pool is the number of processes that run at once; 0 means 1.
	Pool int
	// Timeout limits the duration of one task; 0 leaves it to the request. If neither sets
	// a timeout, it is ten minutes.
	Timeout time.Duration
	// Env is the program's environment, as NAME=value.
	Env []string
	// Sandbox isolates the program.
	Sandbox sandbox.Sandbox
	// Network lets the program use the host's network. If it is not set and a task fails
	// for lack of the network, the result and the transcript name the key in agent.yaml
	// that permits its use ([Offline]).
	Network bool
	// Scrub removes credentials from the parts of the program's text that are stored. It is
	// required.
	Scrub func(string) string
	// Scratch is the folder that contains the working directories. If it is empty, requests
	// have no working directory. With JSONL a process outlives many requests, so it sees
	// all of Scratch, including the working directories of this agent's other requests;
	// with Once a process sees only the working directory of its own request.
	Scratch string
	// Hidden lists folders that stay invisible even if they are inside a folder that the
	// program must see.
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
		return nil, fmt.Errorf("the folder for working directories %q is not absolute", o.Scratch)
	case o.Protocol != JSONL && o.Protocol != Once:
		return nil, fmt.Errorf("there is no protocol %q", o.Protocol)
	case o.Timeout < 0:
		return nil, errors.New("the command's timeout is negative")
	case o.Scrub == nil:
		return nil, errors.New("the command needs a scrubber")
	case slices.ContainsFunc(o.Argv, func(word string) bool { return strings.ContainsRune(word, 0) }):
		return nil, errors.New("a word in the command contains a NUL byte")
	}
	o.Argv = resolve(o.Argv, o.Dir)
	a := &Agent{o: o, processes: &processes{free: make(chan struct{}, o.Pool)}, live: map[*worker]struct{}{}}
	a.processes.vacate(o.Pool)
	return a, nil
}

// resolve replaces each word that names a file in the agent's folder with the path of that
// file.
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
