package gotest

import (
	"cmp"
	"io"
	"time"

	"evolve/runtime/sandbox"
)

// Lab holds the resources of a machine for the gates. One lab can serve any number of
// changes, one after another or concurrently.
type Lab struct {
	// Sandbox is the sandbox in which every command runs. Without a sandbox, the gates
	// are run only if Unwalled is set, which means that the operator accepts the risk;
	// the evidence then mentions this.
	Sandbox  sandbox.Sandbox
	Unwalled bool
	// Toolchain is the only Go toolchain inside the sandbox.
	Toolchain Toolchain
	// Cache is a folder reserved for the lab. It holds the build cache, which is filled
	// only from bases, and the facts that were established about bases. Temp is the
	// folder for files that are removed when the gates for a change are done; if it is
	// empty, the system's temporary folder is used.
	Cache, Temp string
	// Random is the source of names and words that no patch can predict.
	Random io.Reader
	// Now returns the current time, to which the timestamps of the files in the build cache
	// are set. Go drops cache entries that have not been used for a long time.
	Now func() time.Time
	// Cgo allows packages to use C.
	Cgo    bool
	Limits Limits
}

// Limits limit the resources that a patch may use. A zero field means the default given for
// it.
type Limits struct {
	// Build limits the total wall-clock time for compiling everything for one change, and
	// Tests the wall-clock time for one run of one package's tests. The defaults are 10 and
	// 5 minutes.
	Build, Tests time.Duration
	// Memory limits the memory of all processes of one command together, in bytes. The
	// default is 4 GiB.
	Memory uint64
	// FileSize limits the size of a written file, in bytes; the default is 1 GiB. Processes
	// limits the number of processes and threads that run at once; the default is
	// [sandbox.ProcessLimit].
	FileSize, Processes uint64
	// Output limits what one run of tests may print, in bytes. The default is 32 MiB.
	Output int
	// Mutants limits the number of functions that are broken in turn. The default is 60.
	// Further functions are not verified.
	Mutants int
	// Beside limits the wall-clock time for all calls to changed functions with drawn
	// inputs. The default is 10 seconds. The evidence names the functions that could not be
	// compared within this time.
	Beside time.Duration
	// Parallel is the number of packages whose tests run at once. The default is 2.
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
