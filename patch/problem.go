package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Problem is a property of a repository that prevents proposals, or that a person should
// know of before proposals are written.
type Problem struct {
	// Name is git's name for the property.
	Name string
	// Why describes the problem, in words that follow "the repository".
	Why string
	// Hint describes what to do; it is empty if nothing can be done.
	Hint string
	// Fatal reports whether the problem prevents opening the repository.
	Fatal bool
}

// ProblemOwner is the name of the problem that a repository belongs to another user. The
// git setting of that name decides whether native git accepts the repository.
const ProblemOwner = "safe.directory"

// UnsupportedError reports that a repository is of an unsupported kind.
type UnsupportedError struct{ Problem Problem }

func (e *UnsupportedError) Error() string { return "the repository " + e.Problem.Why }

// Hint describes what to do.
func (e *UnsupportedError) Hint() string { return e.Problem.Hint }

// Problems checks the repository that contains a folder. It only reads files. Fatal
// problems come first. A folder outside any repository has no problems.
func Problems(dir string) []Problem {
	l, err := locateFrom(dir)
	if errors.Is(err, ErrNoRepository) {
		return nil
	}
	if err != nil {
		return []Problem{{Name: "repository", Why: fmt.Sprintf("cannot be opened: %v", err), Fatal: true}}
	}
	return l.problems()
}

func (l layout) problems() []Problem {
	s, err := l.local()
	if err != nil {
		return []Problem{{Name: "config", Why: fmt.Sprintf("cannot be opened: %v", err), Hint: "git config --list --show-origin shows the settings", Fatal: true}}
	}
	var out []Problem
	add := func(fatal bool, name, hint, why string, args ...any) {
		out = append(out, Problem{Name: name, Why: fmt.Sprintf(why, args...), Hint: hint, Fatal: fatal})
	}
	l.formats(s, add)
	if l.foreign() {
		add(false, ProblemOwner, "git config --global --add safe.directory FOLDER, if you trust it", "belongs to another user: git may refuse it")
	}
	if _, err := os.Stat(filepath.Join(l.common, "shallow")); err == nil {
		add(false, "shallow", "git fetch --unshallow", "is a shallow clone: older commits are missing")
	}
	objects := filepath.Join(l.common, "objects")
	list, _ := alternates(objects) // an unreadable list makes the first read of an object fail
	for _, dir := range list {
		if _, err := os.Stat(against(objects, dir)); errors.Is(err, fs.ErrNotExist) {
			add(false, "alternates", "restore that folder; git repack -ad then copies its objects into the clone", "borrows objects from %s, which does not exist", dir)
		}
	}
	return out
}

// formats adds the problems of an unsupported repositoryformatversion and of unsupported
// extensions.
func (l layout) formats(s settings, add func(fatal bool, name, hint, why string, args ...any)) {
	version, _ := s[:1].get("core", "repositoryformatversion")
	known := map[string]bool{}
	if s[0].HasSection("extensions") {
		for _, o := range s[0].Section("extensions").Options {
			key, value := strings.ToLower(o.Key), strings.ToLower(o.Value)
			if known[key] {
				continue
			}
			known[key] = true
			switch {
			case key == "refstorage" && value != "files":
				add(true, "reftable", "git refs migrate --ref-format=files", "stores its refs as %s, which evolve cannot write", value)
			case key == "objectformat" && value != "sha1":
				add(true, "objectFormat", "keep the workspace in a repository made with git init --object-format=sha1", "hashes its objects with %s, which evolve cannot write", strings.ToUpper(strings.Replace(value, "sha", "sha-", 1)))
			case key == "worktreeconfig" && parseBool(value) && version != "1":
				add(false, "worktreeConfig", "git config core.repositoryformatversion 1", "uses worktreeConfig in a repository with format version 0: evolve reads it, but other programs may refuse it")
			case !supportedExtensions[key]:
				add(true, "extensions."+o.Key, "use a repository without this extension", "has the extension %s, which evolve does not support", o.Key)
			}
		}
	}
	if known["partialclone"] || hasPromisor(s) {
		add(false, "partialClone", "use a full clone", "is a partial clone: missing objects cannot be read")
	}
	if version != "" && version != "0" && version != "1" {
		add(true, "repositoryformatversion", "use a repository with format version 0 or 1", "has the format version %s, which evolve does not support", version)
	}
	if tree, set := s.get("core", "worktree"); set && l.top != "" {
		if real, err := filepath.EvalSymlinks(against(l.git, tree)); err != nil || real != l.top {
			add(true, "core.worktree", "git config --unset core.worktree", "has its working tree elsewhere, in %s", tree)
		}
	}
}

// hasPromisor reports whether a remote promises objects that are missing here. Current git
// marks a partial clone in this way, without the extension partialClone.
func hasPromisor(s settings) bool {
	if !s[0].HasSection("remote") {
		return false
	}
	for _, remote := range s[0].Section("remote").Subsections {
		if remote.HasOption("promisor") && parseBool(remote.Option("promisor")) {
			return true
		}
	}
	return false
}

// supportedExtensions are the extensions that do not affect how objects and refs are read
// and written, and the other extensions that this package handles.
var supportedExtensions = map[string]bool{
	"noop": true, "noop-v1": true, "preciousobjects": true, "partialclone": true, "worktreeconfig": true,
	"relativeworktrees": true, "objectformat": true, "refstorage": true,
}

// whyMissing returns the reason why a repository may lack an object.
func (r *Repository) whyMissing() string {
	var why []string
	for _, p := range r.problems() {
		if p.Name == "shallow" || p.Name == "partialClone" || p.Name == "alternates" {
			why = append(why, "the repository "+p.Why)
		}
	}
	return strings.Join(why, "; ")
}
