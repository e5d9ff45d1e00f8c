package tool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Bounds on what one evaluation may read.
const (
	MaxFile  = 1 << 20  // bytes of one file; larger ones are refused
	maxRead  = 16 << 20 // bytes of all files together
	maxFiles = 5000     // files listed by a walk
	maxDepth = 16       // folders below the root
	maxNotes = 50
	maxNote  = 500 // characters
)

// Env is the environment of the tools of one evaluation. It belongs to one goroutine.
type Env struct {
	// Now is the injected time; the zero time means that there is no clock.
	Now time.Time
	// Recall searches the agent's memory; nil when there is none.
	Recall func(ctx context.Context, text string, wide bool) []memory.Hit
	// Enable activates an available tool for the rest of the turn.
	Enable func(name string) Result
	// Find activates the available tools that fit a query best. Nil where tools have
	// only names.
	Find func(query string) Result
	// Notes are the texts that the tool note has kept so far.
	Notes []string
	// Flagged reports whether a text seems to contain a credential: the tools that
	// summarise code name such a file and leave out its contents. Nil flags none.
	Flagged func(text string) bool
	// Scrub removes credentials from a file's text before it is searched; nil leaves
	// it.
	Scrub func(text string) string
	// Surroundings are what the tools of [Further] use.
	Surroundings

	// hung holds the numbers of running attempts of abandoned calls, by the process that
	// they share.
	hung map[string]*atomic.Int32

	dir   string
	root  *os.Root
	files []File
	texts map[string]string
	spent int64
	repo  *repository
	// flagged caches the results of Flagged by file, and cleaned those of Scrub.
	flagged map[string]bool
	cleaned map[string]string
}

// File is a file or folder below the root.
type File struct {
	Path string // slash-separated, relative
	Dir  bool
	Size int64
}

// NewEnv returns an environment rooted in a folder; "" means that there are no files.
// The caller must close it.
func NewEnv(dir string) *Env { return &Env{dir: dir} }

// Close closes the open folder.
func (e *Env) Close() error {
	if e.root == nil {
		return nil
	}
	return e.root.Close()
}

// failure is a refusal with its outcome.
type failure struct {
	outcome agent.Outcome
	text    string
}

func (f *failure) Error() string { return f.text }

func refuse(outcome agent.Outcome, text string) error { return &failure{outcome, text} }

// failed turns an error of the file functions into a result for the model. System
// errors are reworded without the host's path.
func failed(err error) Result {
	var f *failure
	switch {
	case errors.As(err, &f):
		return Failed(f.outcome, "%s", f.text)
	case errors.Is(err, fs.ErrNotExist):
		return Failed(agent.Execution, "no such file or folder")
	case errors.Is(err, fs.ErrPermission):
		return Failed(agent.Denied, "may not be read")
	}
	return Failed(agent.Execution, "could not be read")
}

// fork returns an environment for one call, which owns the call's changes until it has
// ended.
func (e *Env) fork() *Env {
	f := *e
	f.Notes, f.Facts, f.Retracted = slices.Clip(e.Notes), slices.Clip(e.Facts), maps.Clone(e.Retracted)
	return &f
}

// adopt takes over the changes of an ended call.
func (e *Env) adopt(f *Env) {
	f.hung = e.hung
	*e = *f
}

// abandon leaves to a call that does not end everything that it may still use. Further
// calls of tools that share its process are refused until it has ended.
func (e *Env) abandon(process string, running *atomic.Int32) {
	e.root, e.files, e.texts, e.repo, e.flagged, e.cleaned = nil, nil, nil, nil, nil, nil
	if e.hung == nil {
		e.hung = map[string]*atomic.Int32{}
	}
	e.hung[process] = running
}

// hangs reports whether an abandoned call of a process still runs.
func (e *Env) hangs(process string) bool {
	running := e.hung[process]
	return running != nil && running.Load() > 0
}

func (e *Env) open() (*os.Root, error) {
	if e.dir == "" {
		return nil, refuse(agent.Execution, "there is no working folder")
	}
	if e.root == nil {
		root, err := os.OpenRoot(e.dir)
		if err != nil {
			return nil, err
		}
		e.root = root
	}
	return e.root, nil
}

// resolve checks a path from a model: it must be relative, inside the root, without
// symbolic links and not that of a secret. os.Root guards against changes of the folder
// after the check.
func (e *Env) resolve(name string) (string, fs.FileInfo, error) {
	root, err := e.open()
	if err != nil {
		return "", nil, err
	}
	if name == "" {
		name = "."
	}
	if len(name) > 1000 || strings.ContainsAny(name, "\x00\\") || !utf8.ValidString(name) {
		return "", nil, refuse(agent.ContractViolation, "is not a valid path")
	}
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return "", nil, refuse(agent.Denied, "paths must be relative and stay inside the working folder")
	}
	clean := path.Clean(name)
	if Secret(clean) {
		return "", nil, refuse(agent.Denied, "files that hold secrets are not read")
	}
	var info fs.FileInfo
	at := ""
	for part := range strings.SplitSeq(clean, "/") {
		at = path.Join(at, part)
		if info, err = root.Lstat(at); err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return "", nil, refuse(agent.Denied, "symbolic links are not followed")
		}
	}
	return clean, info, nil
}

// Text returns the contents of a regular text file.
func (e *Env) Text(name string) (string, error) {
	clean, info, err := e.resolve(name)
	if err != nil {
		return "", err
	}
	if text, ok := e.texts[clean]; ok {
		return text, nil
	}
	switch {
	case info.IsDir():
		return "", refuse(agent.ContractViolation, "is a folder")
	case !info.Mode().IsRegular():
		return "", refuse(agent.Denied, "is not a regular file")
	case info.Size() > MaxFile:
		return "", refuse(agent.BudgetExceeded, "is larger than 1 MiB")
	case e.spent+info.Size() > maxRead:
		return "", refuse(agent.BudgetExceeded, "too much has been read in this task")
	}
	// Without O_NONBLOCK a pipe in the file's place would block for ever.
	f, err := e.root.OpenFile(clean, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// A link that replaced the file after the check may lead to a forbidden file, even
	// inside the folder.
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return "", refuse(agent.Denied, "was changed while it was being read")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > MaxFile {
		return "", refuse(agent.BudgetExceeded, "is larger than 1 MiB")
	}
	e.spent += int64(len(data))
	if strings.IndexByte(string(data[:min(len(data), 8000)]), 0) >= 0 {
		return "", refuse(agent.ContractViolation, "is not a text file")
	}
	text := strings.ToValidUTF8(string(data), "�")
	if e.texts == nil {
		e.texts = map[string]string{}
	}
	e.texts[clean] = text
	return text, nil
}

// withheld reports whether a file's text is flagged.
func (e *Env) withheld(name, text string) bool {
	if e.Flagged == nil {
		return false
	}
	return remembered(&e.flagged, name, func() bool { return e.Flagged(text) })
}

// remembered returns the cached result of find for a file.
func remembered[T any](known *map[string]T, name string, find func() T) T {
	if found, ok := (*known)[name]; ok {
		return found
	}
	if *known == nil {
		*known = map[string]T{}
	}
	found := find()
	(*known)[name] = found
	return found
}

// Files returns everything below the root in the order of paths, without symbolic
// links, secrets and version control. The list is made once.
func (e *Env) Files() ([]File, error) {
	if e.files != nil || e.dir == "" {
		return e.files, nil
	}
	root, err := e.open()
	if err != nil {
		return nil, err
	}
	files := []File{}
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == "." {
			return nil // unreadable files are not listed
		}
		if d.Type()&fs.ModeSymlink != 0 || Secret(p) || d.Name() == ".git" || strings.Count(p, "/") >= maxDepth {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if len(files) >= maxFiles {
			return fs.SkipAll
		}
		f := File{Path: p, Dir: d.IsDir()}
		if info, err := d.Info(); err == nil && !f.Dir {
			if !info.Mode().IsRegular() {
				return nil
			}
			f.Size = info.Size()
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.files = files
	return files, nil
}
