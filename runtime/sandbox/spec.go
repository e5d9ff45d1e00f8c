package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Spec is one program to be started.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked up
	// in PATH, a relative path is taken from Dir.
	Argv []string
	// Dir is the absolute folder in which the program starts: one that Shown or
	// Layers put there, or else one of the host, which is visible, and read-only
	// unless it lies in a Writable folder.
	Dir string
	// ReadOnly and Writable are further absolute paths that the program sees where
	// they are; the deeper path decides.
	ReadOnly, Writable []string
	// Shown are what the program sees elsewhere than where they are.
	Shown []Shown
	// Layers are folders that the program may change for itself alone. Not all walls
	// have them: see [Walls.Layers].
	Layers []Layer
	// Hidden are absolute folders that stay out of sight even where a visible one
	// holds them; what is listed inside them stays visible.
	Hidden []string
	// Env is added, as NAME=value, to PATH, HOME, TMPDIR, LANG and EVOLVE_INSIDE=1,
	// which are all the program gets otherwise; of two of one name the later wins.
	Env []string
	// Network lets the program use the host's; otherwise it has a loopback of its own.
	Network bool
	// Stdin, Stdout and Stderr may be nil, which is /dev/null. Start leaves them open.
	Stdin, Stdout, Stderr *os.File
	Limits                Limits
	// Temp is the folder in which a program without walls gets its home; empty: the
	// system's. What a sudden end of this process leaves lies there.
	Temp string

	// path replaces the look-up of Argv[0].
	path string
}

// Shown is a file or folder of the host, Source, that a program sees at Path. Both
// are absolute. A Path inside another visible folder must exist there. Without walls
// that change what a path means, only Source itself can be the Path; anything else is
// refused with [errors.ErrUnsupported].
type Shown struct {
	Source, Path string
	Writable     bool
}

// Layer is a folder of the host, Lower, that a program sees at Path with a layer of
// its own over it: it reads what Lower has, and what it writes or removes is kept in
// memory, up to Size bytes (0: 1 GiB), gone with the program and never in Lower. The
// first change of a file, of its times too, copies it whole. No mount may lie below
// Lower.
type Layer struct {
	Lower, Path string
	Size        int64
}

// Limits bound a program. A zero field is no bound, but core dumps are always off.
// Without namespaces or bubblewrap only OpenFiles, Memory, FileSize and CPU can be
// enforced, and without any walls nothing.
type Limits struct {
	// OpenFiles bounds the open files of one process.
	OpenFiles uint64
	// Memory bounds the private writable memory of one process, in bytes.
	Memory uint64
	// Total bounds the memory of all processes together, in bytes: their private and
	// shared memory, each page once, and the files in the private folders and layers.
	// It is watched, not enforced by the system: a program that passes it is ended as
	// [OverMemory] within about a tenth of a second.
	Total uint64
	// CPU bounds the processor time of all processes together, and that of each, in
	// whole seconds rounded up. It is watched like Total.
	CPU time.Duration
	// Scratch bounds HOME and /tmp, each, in bytes; 0: 1 GiB.
	Scratch uint64
	// FileSize bounds one file that a process writes, in bytes.
	FileSize uint64
	// Processes bounds processes and threads at once; at least 400.
	Processes uint64
}

// check refuses what cannot be meant.
func (s Spec) check() error {
	if len(s.Argv) == 0 {
		return errors.New("there is no program to start")
	}
	paths := append([]string{s.Dir}, s.ReadOnly...)
	paths = append(append(paths, s.Writable...), s.Hidden...)
	for _, v := range s.Shown {
		paths = append(paths, v.Source, v.Path)
	}
	for _, l := range s.Layers {
		paths = append(paths, l.Lower, l.Path)
	}
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return fmt.Errorf("the path %q is not absolute", p)
		}
	}
	return nil
}

// host is where on the host lies what the program sees at path; moved says that it is
// there through Shown or Layers.
func (s Spec) host(path string) (host string, moved bool) {
	path = filepath.Clean(path)
	host, longest := path, -1
	try := func(at, source string) {
		at = filepath.Clean(at)
		if rest, ok := strings.CutPrefix(path, at); ok && (rest == "" || rest[0] == '/') && len(at) > longest {
			host, longest = filepath.Join(source, rest), len(at)
		}
	}
	for _, v := range s.Shown {
		try(v.Path, v.Source)
	}
	for _, l := range s.Layers {
		try(l.Path, l.Lower)
	}
	return host, longest >= 0
}

// find looks up the program, where the program sees it.
func (s Spec) find() (program, error) {
	dir, _ := s.host(s.Dir)
	name := s.Argv[0]
	if !strings.Contains(name, "/") {
		return find(name, dir)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.Dir, name)
	}
	host, moved := s.host(name)
	if !moved {
		return find(name, dir)
	}
	if _, err := look(host, dir); err != nil {
		return program{}, err
	}
	p := program{path: name}
	p.interpret(host, dir, 4)
	return p, nil
}
