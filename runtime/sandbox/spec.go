package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Spec describes a program to be started.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked up in
	// PATH; a relative path is relative to Dir.
	Argv []string
	// Dir is the absolute folder in which the program starts. It is a folder placed by
	// Shown or Layers, or else one of the host, which is then visible, and read-only
	// unless it lies in a Writable folder.
	Dir string
	// ReadOnly and Writable are further absolute paths that the program sees at their
	// own place; the deeper path takes precedence.
	ReadOnly, Writable []string
	// Shown are paths that the program sees at another place.
	Shown []Shown
	// Layers are folders that the program may change for itself alone. Not all sandboxes
	// support them: see [Sandbox.Layers].
	Layers []Layer
	// Hidden are absolute folders that stay invisible even inside a visible one; listed
	// paths inside them stay visible.
	Hidden []string
	// Env is added, as NAME=value, to PATH, HOME, TMPDIR, LANG and EVOLVE_INSIDE=1,
	// which are otherwise the program's whole environment; the later of two settings of
	// one name takes precedence.
	Env []string
	// Network lets the program use the host's network; otherwise it has only a loopback
	// of its own.
	Network bool
	// Stdin, Stdout and Stderr may be nil, which means /dev/null. Start leaves them
	// open.
	Stdin, Stdout, Stderr *os.File
	Limits                Limits
	// Temp is the folder for the homes of programs without namespaces; empty means the
	// system's. A sudden end of this process leaves such homes behind.
	Temp string

	// path replaces the look-up of Argv[0].
	path string
}

// Shown is a file or folder of the host, Source, that a program sees at Path. Both are
// absolute. A Path inside another visible folder must exist there. Without mount
// namespaces only Source itself can be the Path; anything else is refused with
// [errors.ErrUnsupported].
type Shown struct {
	Source, Path string
	Writable     bool
}

// Layer is a folder of the host, Lower, that a program sees at Path with a private
// writable layer over it. The program reads what Lower holds; what it writes or removes
// is kept in memory, up to Size bytes (0: 1 GiB), is lost at its end and never reaches
// Lower. The first change of a file, or of its times, copies it whole. No mount may lie
// below Lower.
type Layer struct {
	Lower, Path string
	Size        int64
}

// Limits bound a program. A zero field is no bound, but core dumps are always off. With
// Landlock alone only FileSize and Output are enforced, and without isolation only Output.
type Limits struct {
	// Total bounds the memory of all processes together, in bytes: their private and
	// shared memory, each page once, and the files in the private folders and layers.
	// It is watched, not enforced by the kernel: a program that exceeds it is ended
	// with [OverMemory] within about a tenth of a second.
	Total uint64
	// Scratch bounds HOME and /tmp, each, in bytes; 0: 1 GiB.
	Scratch uint64
	// FileSize bounds one file that a process writes, in bytes.
	FileSize uint64
	// Processes bounds processes and threads at once; at least 400. See [ProcessLimit].
	Processes uint64
	// Output bounds what is written to each output, in bytes: a program that exceeds it is
	// ended with [OverOutput]. [Sandbox.Run] alone enforces it, because it reads the outputs.
	Output uint64
}

// ProcessLimit returns how many processes and threads one foreign program may have at once:
// 256 for each processor, at least 512 and at most 4,096. Compilers and test runners start
// work in proportion to the processors. A program that starts processes without end gets the
// machine as busy as that share allows, so that its end takes seconds on a small machine too.
func ProcessLimit() uint64 { return uint64(min(max(256*runtime.NumCPU(), 512), 4096)) }

// check refuses specifications that cannot be carried out.
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

// host returns the host's path of the file that the program sees at path. moved reports
// whether Shown or Layers placed it there.
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

// find looks up the program as the program itself would see it.
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
