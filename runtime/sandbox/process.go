package sandbox

import (
	"sync"
	"sync/atomic"
	"syscall"
)

// Exit is how a program ended.
type Exit struct {
	// Code is the exit code, -1 when a signal ended the program or its walls fell.
	Code int
	// Signal is the number of the signal that ended it, 0 for none.
	Signal int
	// Reason says who ended it.
	Reason Reason
	// Unreached counts the attempts of a program without the host's network to reach an
	// address that it has no way to, or a port of its own loopback that nothing listens
	// on. 0 where that is not known: without namespaces, and after an end by this process.
	Unreached int64
}

// Reason is who or what ended a program.
type Reason string

const (
	// Own: the program itself, by its exit code or its signal.
	Own Reason = ""
	// Killed: this process, by [Process.Kill] or because the context of [Walls.Run] was done.
	Killed Reason = "killed"
	// OverMemory, OverCPU and OverProcesses: the watch over the [Limits] of that name.
	OverMemory    Reason = "over its memory"
	OverCPU       Reason = "over its processor time"
	OverProcesses Reason = "over its processes"
	// Fallen: nobody known; the walls fell, and the program with them.
	Fallen Reason = "the walls fell"
)

// Process is a started program with everything it starts.
type Process struct {
	kill func()
	wait func() Exit
	// unreached is nil where the network of a living program cannot be looked at.
	unreached func() int64

	killed atomic.Bool
	once   sync.Once
	exit   Exit
}

// Kill ends the program and all its descendants at once. It may be called at any
// time, more than once, and from any goroutine.
func (p *Process) Kill() {
	p.killed.Store(true)
	p.kill()
}

// Unreached is what [Exit.Unreached] would be now, of a program that has not ended; 0
// where that is not known.
func (p *Process) Unreached() int64 {
	if p.unreached == nil {
		return 0
	}
	return p.unreached()
}

// Wait returns how the program ended, after it and its descendants are gone. Its
// own end takes the descendants with it.
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
