package sandbox

import (
	"sync"
	"sync/atomic"
	"syscall"
)

// Exit describes how a program ended.
type Exit struct {
	// Code is the exit code, or -1 if a signal ended the program or the sandbox failed.
	Code int
	// Signal is the number of the signal that ended the program, or 0 if none did.
	Signal int
	// Reason is the cause of the end.
	Reason Reason
	// Unreached counts the program's failed attempts to reach an address that has no
	// route, or a port on its own loopback interface on which nothing listens. It applies
	// to programs that do not have the host's network. It is 0 if the count is
	// unavailable, that is, without namespaces or if this process ended the program.
	Unreached int64
}

// Reason is the cause of a program's end.
type Reason string

const (
	// Own means that the program ended by itself, with an exit code or a signal.
	Own Reason = ""
	// Killed means that this process ended the program, by [Process.Kill] or because the
	// context of [Sandbox.Run] was done.
	Killed Reason = "killed"
	// OverMemory means that the program exceeded the limit on memory in its [Limits], and
	// OverProcesses that it exceeded the limit on the number of processes.
	OverMemory    Reason = "over its memory limit"
	OverProcesses Reason = "over its process limit"
	// OverOutput means that the program wrote more than [Limits.Output].
	OverOutput Reason = "over its output limit"
	// Fallen means that the sandbox ended for an unknown reason, and the program ended with
	// it.
	Fallen Reason = "the sandbox failed"
)

// Process is a started program with all its descendants.
type Process struct {
	kill func()
	wait func() Exit
	// unreached returns the current count of [Exit.Unreached]; it is nil if the counters of
	// a running program are unavailable.
	unreached func() int64

	killed atomic.Bool
	once   sync.Once
	exit   Exit
}

// Kill immediately ends the program and all its descendants. It may be called at any time,
// more than once, and by several goroutines at once.
func (p *Process) Kill() {
	p.killed.Store(true)
	p.kill()
}

// Unreached returns the current count of [Exit.Unreached] for a running program, or 0 if it
// is unavailable.
func (p *Process) Unreached() int64 {
	if p.unreached == nil {
		return 0
	}
	return p.unreached()
}

// Wait returns how the program ended, once it and its descendants are gone. When the
// program ends, its descendants are killed.
func (p *Process) Wait() Exit {
	p.once.Do(func() {
		p.exit = p.wait()
		byUs := p.exit.Reason == Fallen || p.exit.Reason == Own && p.exit.Signal == int(syscall.SIGKILL)
		if byUs && p.killed.Load() {
			p.exit.Reason = Killed
		}
	})
	return p.exit
}
