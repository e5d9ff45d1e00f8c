package gotest

import (
	"os"
	"path"
	"path/filepath"

	"evolve/runtime/sandbox"
)

// The paths of files inside the sandbox. They are the same for base and candidate, so that
// caches recognise equal content and a process cannot distinguish the two.
const (
	treePlace    = "/target"
	cachePlace   = "/build-cache"
	scratchPlace = "/stuff"
)

// goEnv is the environment for commands on one tree: the tree, the toolchain, downloaded
// modules, a build cache, and nothing else from the machine.
type goEnv struct {
	lab    *Lab
	limits Limits
	// tree is the folder on the host that holds the tree.
	tree string
	// workspace is the path of the base's go.work, relative to the root of the tree; ""
	// means none.
	workspace string
	// cache is the folder on the host for compiled packages. kept reports whether newly
	// compiled packages are stored in it permanently. If not, commands write to a layer
	// over the folder or, if the sandbox has no layers, cache must be a copy.
	cache string
	kept  bool
	// race compiles the tests with the race detector.
	race bool
}

// keeping returns the environment with the lab's build cache, in which newly compiled
// packages stay.
func (r goEnv) keeping() goEnv {
	r.cache, r.kept = r.lab.buildCache(), true
	return r
}

// sandboxed reports whether there is a sandbox. In a sandbox, paths differ from those on
// the host.
func (l *Lab) sandboxed() bool { return l.Sandbox.Err() == nil }

// layered reports whether the sandbox supports layers, in which commands change folders
// without changing them on the host.
func (l *Lab) layered() bool { return l.Sandbox.Layers() == nil }

// inside returns the path that a command uses for the folder host. In a sandbox this path
// is place; without a sandbox it is host.
func (l *Lab) inside(host, place string) string {
	if l.sandboxed() {
		return place
	}
	return host
}

// at returns the path inside the sandbox for a slash-separated path in the tree.
func (r goEnv) at(p string) string { return path.Join(r.lab.inside(r.tree, treePlace), p) }

// environment returns the environment variables for commands that run on a module.
func (r goEnv) environment(m module) []string {
	work := "off"
	if r.workspace != "" {
		work = r.at(r.workspace)
	}
	return append(r.lab.Toolchain.Environment(m.vendor && r.workspace == "", r.lab.Cgo, work), "GOCACHE="+r.lab.inside(r.cache, cachePlace))
}

// spec returns the specification of the sandbox for a command, without the command itself.
// compiling reports whether the command runs only the toolchain. Only then may files that
// it writes to a cache without layers be used by later commands.
func (r goEnv) spec(m module, compiling bool) sandbox.Spec {
	s := sandbox.Spec{
		Env: r.environment(m), Temp: r.lab.Temp, ReadOnly: []string{r.lab.Toolchain.Root},
		Limits: sandbox.Limits{Total: r.limits.Memory, FileSize: r.limits.FileSize, Processes: r.limits.Processes},
	}
	if _, err := os.Stat(r.lab.Toolchain.Modules); err == nil {
		s.ReadOnly = append(s.ReadOnly, r.lab.Toolchain.Modules)
	}
	if !r.lab.sandboxed() {
		return s
	}
	size := int64(r.limits.Memory) / 2
	cache := sandbox.Shown{Source: r.cache, Path: cachePlace, Writable: true}
	switch {
	case r.kept:
		s.Shown = append(s.Shown, cache)
	case r.lab.layered():
		s.Layers = append(s.Layers, sandbox.Layer{Lower: r.cache, Path: cachePlace, Size: size})
	case compiling:
		s.Shown = append(s.Shown, cache)
	default:
		s.Env = append(s.Env, "GOCACHE=/tmp/build-cache")
	}
	if r.lab.layered() {
		s.Layers = append(s.Layers, sandbox.Layer{Lower: r.tree, Path: treePlace, Size: size})
	} else {
		s.Shown = append(s.Shown, sandbox.Shown{Source: r.tree, Path: treePlace})
	}
	return s
}

// buildCache returns the folder for the compiled packages of bases.
func (l *Lab) buildCache() string { return filepath.Join(l.Cache, "build") }
