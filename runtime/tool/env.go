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

// Limits on what one evaluation may read.
const (
	MaxFile  = 1 << 20  // bytes of one file; larger files are refused
	maxRead  = 16 << 20 // bytes of all files together
	maxFiles = 5000     // files listed by a walk
	maxDepth = 16       // folders below the root
	maxNotes = 50
	maxNote  = 500 // characters
)

// Env is the environment of the tools of one evaluation. It must be used by only one
// goroutine.
type Env struct {
	// Now is the injected time; the zero time means that there is no clock.
	Now time.Time
	// Recall searches the agent's memory; nil if there is none.
	Recall func(ctx context.Context, text string, wide bool) []memory.Hit
	// Enable activates an available tool for the rest of the turn.
	Enable func(name string) Result
	// Find activates the available tools that match a query best. It is nil if tools can be
	// activated only by name.
	Find func(query string) Result
	// Notes holds the texts that the tool note has stored so far.
	Notes []string
	// Flagged reports whether a text seems to contain a credential. The tools that
	// summarise code list such a file but leave out its contents. Nil flags no text.
	Flagged func(text string) bool
	// Scrub removes credentials from a file's text before it is searched; nil leaves the
	// text unchanged.
	Scrub func(text string) string
	// Surroundings holds what the tools of [Further] use.
	Surroundings

	// hung holds the number of running attempts of abandoned calls, keyed by the process
	// that they share.
	hung map[string]*atomic.Int32

	dir   string
	root  *os.Root
	files []File
	texts map[string]string
	spent int64
	repo  *repository
	// flagged and cleaned cache the results of Flagged and Scrub, respectively, keyed by
	// file.
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

// failure is an error that holds the reason for a refusal and the outcome of the refused
// call.
type failure struct {
	outcome agent.Outcome
	text    string
}

func (f *failure) Error() string { return f.text }

func refuse(outcome agent.Outcome, text string) error { return &failure{outcome, text} }

// failed turns an error from the file functions into a result for the model. System errors
// are reworded so that they do not contain the host's path.
func failed(err error) Result {
	var f *failure
	switch {
	case errors.As(err, &f):
		return Failed(f.outcome, "%s", f.text)
	case errors.Is(err, fs.ErrNotExist):
		return Failed(agent.Execution, "no such file or folder")
	case errors.Is(err, fs.ErrPermission):
		return Failed(agent.Denied, "reading it is not permitted")
	}
	return Failed(agent.Execution, "could not be read")
}

// fork returns a copy of the environment for one call. The copy holds the call's changes
// until the call has ended.
func (e *Env) fork() *Env {
	f := *e
	f.Notes, f.Facts, f.Retracted = slices.Clip(e.Notes), slices.Clip(e.Facts), maps.Clone(e.Retracted)
	return &f
}

// adopt takes over the changes made by a call that has ended.
func (e *Env) adopt(f *Env) {
	f.hung = e.hung
	*e = *f
}

// abandon drops e's references to everything that a hung call may still use, so that no
// other call uses it. Further calls to tools that share its process are refused until the
// call has ended.
func (e *Env) abandon(process string, running *atomic.Int32) {
	e.root, e.files, e.texts, e.repo, e.flagged, e.cleaned = nil, nil, nil, nil, nil, nil
	if e.hung == nil {
		e.hung = map[string]*atomic.Int32{}
	}
	e.hung[process] = running
}

// hangs reports whether an abandoned call in a process is still running.
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

// resolve checks a path given by a model: it must be relative, lie inside the root, contain
// no symbolic links and not be the path of a secret. os.Root protects against changes to
// the folder after the check.
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
		return "", nil, refuse(agent.Denied, "files that contain secrets are not read")
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
	// Without O_NONBLOCK, a pipe that replaced the file would block for ever.
	f, err := e.root.OpenFile(clean, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// A symbolic link that replaced the file after the check may lead to a forbidden file,
	// even one inside the root.
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

// remembered returns the result of find for a file. It calls find only the first time and
// caches the result in known.
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

// Files returns everything below the root, ordered by path, except symbolic links, secrets
// and the files of version control. The list is made only once.
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
