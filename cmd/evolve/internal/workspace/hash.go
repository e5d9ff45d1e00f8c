package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"evolve/bench"
)

// unhashed lists folders that do not affect an agent's answers: caches written when the
// agent runs, and the history of a folder that is its own repository. Installed
// dependencies, such as node_modules, do affect the answers and are hashed.
var unhashed = []string{"__pycache__", ".git"}

// folderHash holds SHA-256 hashes of an agent's folder, in hexadecimal.
type folderHash struct {
	// all covers every file; code covers every file except config.yaml and STRATEGY.md.
	all, code string
}

// hashFolder hashes the contents of dir. For every entry, in path order, it hashes the
// kind, the executable bit, the path, and a file's content or a link's target. It does not
// follow links. Each part is preceded by its length, so that no two different folders
// produce the same stream.
func hashFolder(dir string) (folderHash, error) {
	all, code := sha256.New(), sha256.New()
	var paths []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if p != dir && slices.Contains(unhashed, e.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if slices.Contains(unhashed, e.Name()) {
			return nil // a worktree's .git is a file, not a folder
		}
		rel, err := filepath.Rel(dir, p)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return folderHash{}, Reason(err)
	}
	slices.Sort(paths)
	for _, rel := range paths {
		to := io.MultiWriter(all, code)
		if rel == ConfigFile || rel == StrategyFile {
			to = all
		}
		if err := hashEntry(to, dir, rel); err != nil {
			return folderHash{}, fmt.Errorf("%s: %w", rel, Reason(err))
		}
	}
	return folderHash{all: sum(all), code: sum(code)}, nil
}

func hashEntry(to io.Writer, dir, rel string) error {
	full := filepath.Join(dir, filepath.FromSlash(rel))
	info, err := os.Lstat(full)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "link %d %s %d %s\n", len(rel), rel, len(target), target)
	case info.Mode().IsRegular():
		f, err := os.Open(full)
		if err != nil {
			return err
		}
		defer f.Close()
		content := sha256.New()
		if _, err := io.Copy(content, f); err != nil {
			return err
		}
		kind := "file"
		if info.Mode()&0o100 != 0 {
			kind = "program"
		}
		fmt.Fprintf(to, "%s %d %s %s\n", kind, len(rel), rel, sum(content))
	default: // a socket or a pipe has no content of its own
		fmt.Fprintf(to, "other %d %s\n", len(rel), rel)
	}
	return nil
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// BaseOf returns the hashes, keyed by name, of everything on which a proposal for an
// agent depends: the agent's folder, including the champion, and its suites. A proposal
// is stale if any of them has changed.
func BaseOf(a *Agent, suites map[string]*bench.Suite) map[string]string {
	base := map[string]string{path.Join(agentsDir, a.ID): a.folder}
	for _, name := range a.Suites {
		if s := suites[name]; s != nil {
			base[path.Join(suitesDir, name)] = s.Hash
		}
	}
	return base
}
