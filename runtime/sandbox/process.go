package sandbox

import "sync"

// Exit is how a program ended.
type Exit struct {
	// Code is the exit code, -1 when a signal ended the program or its walls fell.
	Code int
	// Signal is the number of the signal that ended it, 0 for none.
	Signal int
}

// Process is a started program with everything it starts.
type Process struct {
	kill func()
	wait func() Exit

	once sync.Once
	exit Exit
}

// Kill ends the program and all its descendants at once. It may be called at any
// time, more than once, and from any goroutine.
func (p *Process) Kill() { p.kill() }

// Wait returns how the program ended, after it and its descendants are gone. Its
// own end takes the descendants with it.
func (p *Process) Wait() Exit {
	p.once.Do(func() { p.exit = p.wait() })
	return p.exit
}
