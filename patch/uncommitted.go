package patch

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
)

// AsCommitted reports whether a file in the working tree has the same content as in a
// commit, apart from line endings, which git may convert. The path is relative to the
// folder for which the repository was opened.
func (r *Repository) AsCommitted(commit, path string) (bool, error) {
	have, want, err := r.both(commit, path)
	return err == nil && have.file == want.file && alike(have, want), err
}

// content is the content of a path in a working tree or in a commit.
type content struct {
	file bool
	data []byte
}

// both returns the content of a file in the working tree and in a commit.
func (r *Repository) both(commit, path string) (have, want content, err error) {
	if want.data, err = r.File(commit, path); err != nil {
		return have, want, err
	}
	have.data, err = onDisk(r.dir, path)
	if errors.As(err, new(*HinderedError)) { // a link or a folder, which has no content
		err = nil
	}
	have.file, want.file = have.data != nil, want.data != nil
	return have, want, err
}

// alike reports whether contents are the same apart from line endings.
func alike(a, b content) bool {
	plain := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
	return bytes.Equal(plain(a.data), plain(b.data))
}

// mostCompared is the maximum number of files whose line endings are examined, among those
// that git reports as changed.
const mostCompared = 200

// Uncommitted returns a sorted list of the tracked files that differ from the checked-out
// commit in the working tree or in the index. Only differences in mode, or in content
// other than line endings, count. The repository must be opened at the root of its
// working tree. The contents of the named files are compared even if the index lists them
// as unchanged; the other files are those that git reports. Without git, only the named
// files are compared. Files that a filter rewrites, such as those of LFS, are left out,
// because no filter is run.
func (r *Repository) Uncommitted(ctx context.Context, commit string, named ...string) ([]string, error) {
	found := map[string]bool{}
	plain, err := r.unrewritten(ctx, named)
	if err != nil {
		return nil, err
	}
	for _, path := range plain {
		have, want, err := r.both(commit, path)
		if err != nil {
			return nil, err
		}
		if have.file && !alike(have, want) { // git distinguishes removed files from those that a sparse checkout leaves out
			found[path] = true
		}
	}
	with := *r
	with.extra = []string{"GIT_OPTIONAL_LOCKS=0"} // git must not write the index
	changed, err := with.status(ctx, r.dir, "no")
	if err == nil {
		changed, err = r.unfiltered(ctx, r.dir, changed)
	}
	if err != nil && !errors.Is(err, ErrNoGit) {
		return nil, err
	}
	for i, path := range changed {
		if i < mostCompared {
			have, want, err := r.both(commit, path)
			if err == nil && have.file && want.file && !bytes.Equal(have.data, want.data) && alike(have, want) {
				continue
			}
		}
		found[path] = true
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// unrewritten returns the paths of the files that git writes to the working tree exactly
// as committed, apart from line endings; without git, it returns all of the given paths.
func (r *Repository) unrewritten(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	attributes, err := r.attributes(ctx, r.dir, rewritingAttributes, paths)
	if errors.Is(err, ErrNoGit) {
		return paths, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return slices.ContainsFunc(rewritingAttributes, func(name string) bool {
			value := attributes[path][name]
			return value != "" && value != "unspecified" && value != "unset"
		})
	}), nil
}
