package sandbox

import (
	"sync"
	"sync/atomic"
	"syscall"
)

// Exit describes how a program ended.
type Exit struct {
	// Code is the exit code, or -1 when a signal ended the program or the sandbox
	// failed.
	Code int
	// Signal is the number of the signal that ended it, 0 for none.
	Signal int
	// Reason is the cause of the end.
	Reason Reason
	// Unreached counts the attempts of a program without the host's network to reach an
	// address without a route, or a port of its own loopback without a listener. It is
	// 0 where the count is unavailable: without namespaces, and after an end by this
	// process.
	Unreached int64
}

// Reason is the cause of a program's end.
type Reason string

const (
	// Own means that the program ended itself, by its exit code or a signal.
	Own Reason = ""
	// Killed means that this process ended the program, by [Process.Kill] or because the
	// context of [Sandbox.Run] was done.
	Killed Reason = "killed"
	// OverMemory and OverProcesses mean that the program exceeded the [Limits] of that
	// name.
	OverMemory    Reason = "over its memory"
	OverProcesses Reason = "over its processes"
	// OverOutput means that the program wrote more than [Limits.Output].
	OverOutput Reason = "over its output"
	// Fallen means that the sandbox ended for an unknown reason, and the program with
	// it.
	Fallen Reason = "the sandbox failed"
)

// Process is a started program with all its descendants.
type Process struct {
	kill func()
	wait func() Exit
	// unreached is nil where the counters of a running program are unavailable.
	unreached func() int64

	killed atomic.Bool
	once   sync.Once
	exit   Exit
}

// Kill ends the program and all its descendants at once. It may be called at any time,
// more than once, and by several goroutines at once.
func (p *Process) Kill() {
	p.killed.Store(true)
	p.kill()
}

// Unreached returns the current count of [Exit.Unreached] for a running program; 0
// where it is unavailable.
func (p *Process) Unreached() int64 {
	if p.unreached == nil {
		return 0
	}
	return p.unreached()
}

// Wait returns how the program ended, after it and its descendants are gone. When the
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
