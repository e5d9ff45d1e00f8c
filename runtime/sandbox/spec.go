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
	// Dir is the absolute path of the folder in which the program starts. It is either a
	// folder placed by Shown or Layers, or a folder of the host. A folder of the host
	// becomes visible, and is read-only unless it lies in a Writable folder.
	Dir string
	// ReadOnly and Writable are further absolute paths that the program sees at their
	// original location. If one lies inside another, the deeper path takes precedence.
	ReadOnly, Writable []string
	// Shown lists paths that the program sees at another location.
	Shown []Shown
	// Layers lists folders that the program may change; only the program sees the changes.
	// Not all sandboxes support layers: see [Sandbox.Layers].
	Layers []Layer
	// Hidden lists the absolute paths of folders that stay invisible even inside a
	// visible folder. A path inside a hidden folder stays visible if another field lists
	// it.
	Hidden []string
	// Env holds NAME=value settings that are added to PATH, HOME, TMPDIR, LANG and
	// EVOLVE_INSIDE=1, the only other settings in the program's environment. If two
	// settings have the same name, the later one takes precedence.
	Env []string
	// Network lets the program use the host's network. Otherwise, the program has only its
	// own loopback.
	Network bool
	// Stdin, Stdout and Stderr may be nil, which means /dev/null. Start does not close
	// them.
	Stdin, Stdout, Stderr *os.File
	Limits                Limits
	// Temp is the folder for the homes of programs that run without namespaces; empty means
	// the system's temporary folder. A sudden end of this process leaves such homes behind.
	Temp string

	// path, if set, is used instead of looking up Argv[0].
	path string
}

// Shown is a file or folder of the host, Source, that a program sees at Path. Both are
// absolute. If Path is inside another visible folder, it must exist there. Without mount
// namespaces, Path must be the same as Source; anything else is refused with
// [errors.ErrUnsupported].
type Shown struct {
	Source, Path string
	Writable     bool
}

// Layer is a folder of the host, Lower, that a program sees at Path with a private writable
// layer on top. The program reads what Lower contains. What it writes or removes is stored
// in memory, up to Size bytes (0 means 1 GiB), is lost when the program ends, and never
// reaches Lower. The first change to a file, or to its times, copies the whole file. No
// mount may lie below Lower.
type Layer struct {
	Lower, Path string
	Size        int64
}

// Limits bound a program. A zero field means no limit, except that core dumps are always
// off. If only Landlock isolates the program, only FileSize and Output are enforced;
// without isolation, only Output is.
type Limits struct {
	// Total limits the memory of all processes together, in bytes: their private and shared
	// memory, with each page counted once, and the files in the private folders and layers.
	// The kernel does not enforce this limit. Instead, the memory use is watched, and a
	// program that exceeds the limit is ended with [OverMemory] within about a tenth of a
	// second.
	Total uint64
	// Scratch limits the size of HOME and of /tmp, each, in bytes; 0 means 1 GiB.
	Scratch uint64
	// FileSize limits the size of one file that a process writes, in bytes.
	FileSize uint64
	// Processes limits the number of processes and threads that exist at once; it must be
	// at least 400. See [ProcessLimit].
	Processes uint64
	// Output limits the number of bytes that a program writes to each of its outputs; a
	// program that exceeds the limit is ended with [OverOutput]. Only [Sandbox.Run]
	// enforces it, because only Run reads the outputs.
	Output uint64
}

// ProcessLimit returns how many processes and threads one foreign program may have at once:
// 256 for each processor, at least 512 and at most 4,096. Compilers and test runners start
// work in proportion to the number of processors. A program that keeps starting processes
// can load the machine only up to this limit, so ending it takes only seconds, even on a
// small machine.
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

// host returns the path on the host of the file that the program sees at path. moved
// reports whether Shown or Layers placed it there.
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

// find looks up the program of s, resolving paths as the started program would see them.
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
