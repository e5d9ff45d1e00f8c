package gotest

import (
	"cmp"
	"io"
	"time"

	"evolve/runtime/sandbox"
)

// Lab holds the resources of a machine for the gates. One lab serves any number of
// changes, one after another or concurrently.
type Lab struct {
	// Sandbox is the sandbox of every command. Without one the gates are not run, unless
	// Unwalled, which reports whether the operator accepts this, is set; the evidence
	// then records it.
	Sandbox  sandbox.Sandbox
	Unwalled bool
	// Toolchain is the only Go inside the sandbox.
	Toolchain Toolchain
	// Cache is a folder that the lab keeps for itself: the build cache, filled only
	// from bases, and the facts of bases. Temp is a folder for files that are removed
	// when a change is done; empty: the system's.
	Cache, Temp string
	// Random is the source of names and words, which no patch can predict.
	Random io.Reader
	// Now is the clock; the build cache drops entries that have not been used for long.
	Now func() time.Time
	// Cgo lets packages use C.
	Cgo    bool
	Limits Limits
}

// Limits bound the resources of a patch. A zero field means the default given for it.
type Limits struct {
	// Build bounds all compiling of one change together, Tests one run of one
	// package's tests, in wall time: 10 and 5 minutes.
	Build, Tests time.Duration
	// Memory bounds all processes of one command together, in bytes: 4 GiB.
	Memory uint64
	// FileSize bounds one written file, in bytes: 1 GiB. Processes bounds processes
	// and threads at once: [sandbox.ProcessLimit].
	FileSize, Processes uint64
	// Output bounds what one run of tests prints, in bytes: 32 MiB.
	Output int
	// Mutants bounds the number of functions that are broken in turn: 60. Others are not
	// verified.
	Mutants int
	// Beside bounds all calls of changed functions with drawn inputs, in wall time: 10
	// seconds. Functions that are not compared by then are named.
	Beside time.Duration
	// Parallel is the number of packages whose tests run at once: 2.
	Parallel int
}

func (l Limits) withDefaults() Limits {
	l.Build = cmp.Or(l.Build, 10*time.Minute)
	l.Tests = cmp.Or(l.Tests, 5*time.Minute)
	l.Memory = cmp.Or(l.Memory, 4<<30)
	l.FileSize = cmp.Or(l.FileSize, 1<<30)
	l.Processes = cmp.Or(l.Processes, sandbox.ProcessLimit())
	l.Output = cmp.Or(l.Output, 32<<20)
	l.Mutants = cmp.Or(l.Mutants, 60)
	l.Beside = cmp.Or(l.Beside, 10*time.Second)
	l.Parallel = cmp.Or(l.Parallel, 2)
	return l
}
