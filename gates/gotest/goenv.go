package gotest

import (
	"os"
	"path"
	"path/filepath"

	"evolve/runtime/sandbox"
)

// The paths of files inside the sandbox, the same for base and candidate, so that
// caches recognise equal content and a process cannot distinguish the two.
const (
	treePlace    = "/target"
	cachePlace   = "/build-cache"
	scratchPlace = "/stuff"
)

// goEnv is the environment of commands on one tree: the tree, the toolchain, downloaded
// modules, a build cache, and nothing else of the machine.
type goEnv struct {
	lab    *Lab
	limits Limits
	// tree is the host's folder with the tree.
	tree string
	// workspace is the go.work of the base, from the root of the tree; "" for none.
	workspace string
	// cache is the host's folder with compiled packages. kept reports whether new
	// compiled packages stay there. Otherwise commands change a layer over it or, if the
	// sandbox has no layers, cache must be a copy.
	cache string
	kept  bool
	// race compiles tests with the race detector.
	race bool
}

// keeping returns the environment with the lab's build cache, in which new compiled
// packages stay.
func (r goEnv) keeping() goEnv {
	r.cache, r.kept = r.lab.buildCache(), true
	return r
}

// sandboxed reports whether paths inside the sandbox differ from those of the host.
func (l *Lab) sandboxed() bool { return l.Sandbox.Err() == nil }

// layered reports whether commands change folders in their own layer.
func (l *Lab) layered() bool { return l.Sandbox.Layers() == nil }

// inside returns the path inside the sandbox of a folder of the host.
func (l *Lab) inside(host, place string) string {
	if l.sandboxed() {
		return place
	}
	return host
}

// at returns the path inside the sandbox of a slash-separated path of the tree.
func (r goEnv) at(p string) string { return path.Join(r.lab.inside(r.tree, treePlace), p) }

// environment returns the environment variables of commands for a module.
func (r goEnv) environment(m module) []string {
	work := "off"
	if r.workspace != "" {
		work = r.at(r.workspace)
	}
	return append(r.lab.Toolchain.Environment(m.vendor && r.workspace == "", r.lab.Cgo, work), "GOCACHE="+r.lab.inside(r.cache, cachePlace))
}

// spec returns the sandbox without a command. compiling reports whether only the
// toolchain runs; only then may files written to the cache be used again.
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

// buildCache returns the folder of compiled packages of bases.
func (l *Lab) buildCache() string { return filepath.Join(l.Cache, "build") }
