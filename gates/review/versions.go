package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/patch"
	"evolve/runtime/text"
)

// MostVersions is the number of versions of a target that its repository keeps.
const MostVersions = 20

// VersionRef returns the ref of a version of a target's code.
func VersionRef(target string, number int) string {
	return versionRefs(target) + "v" + strconv.Itoa(number)
}

func versionRefs(target string) string { return "refs/evolve/code/" + target + "/" }

// Version is a version of a target's code that is kept as a commit.
type Version struct {
	Number int
	// Files are its changes of the commit at which the target was surveyed.
	Files []patch.File
	// Why is how it came about, and Value what was measured; both may be empty.
	Why, Value string
}

// KeepVersions writes versions as commits on the ground's commit, with a ref each, and
// removes the refs of the oldest others beyond [MostVersions]. It changes no branch, HEAD,
// index or working tree. A ref that has the tree already stays as it is.
func (g *Ground) KeepVersions(ctx context.Context, list []Version, now time.Time) error {
	list = list[:min(len(list), MostVersions)]
	var kept []string
	for _, v := range list {
		ref := VersionRef(g.Target.Name, v.Number)
		if err := g.keepVersion(ref, v, now); err != nil {
			return fmt.Errorf("keeping v%d: %w", v.Number, err)
		}
		kept = append(kept, ref)
	}
	refs, err := g.repo.Refs(versionRefs(g.Target.Name))
	if err != nil {
		return err
	}
	slices.SortFunc(refs, func(x, y string) int { return versionNumber(y) - versionNumber(x) })
	left := MostVersions - len(kept)
	for _, ref := range refs {
		if slices.Contains(kept, ref) || versionNumber(ref) < 0 { // or another one's
			continue
		}
		if left--; left >= 0 {
			continue
		}
		if err := g.repo.DeleteRef(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// versionNumber returns the number of the version that a ref is of; -1 for another ref.
func versionNumber(ref string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(ref[strings.LastIndexByte(ref, '/')+1:], "v"))
	if err != nil || n < 1 {
		return -1
	}
	return n
}

func (g *Ground) keepVersion(ref string, v Version, now time.Time) error {
	was, err := g.repo.Ref(ref)
	if err != nil {
		return err
	}
	if was != "" {
		tree, err := g.repo.Candidate(g.Commit, v.Files)
		if err != nil {
			return err
		}
		if had, err := g.repo.TreeOf(was); err == nil && had == tree {
			return nil
		}
	}
	message := fmt.Sprintf("evolve: v%d of %s\n", v.Number, text.OneLine(g.Target.Name))
	for _, part := range []string{v.Why, v.Value} {
		if part != "" {
			message += "\n" + strings.Join(text.Wrap(text.Clip(text.OneLine(part), maxRationale, text.Ellipsis), 72), "\n") + "\n"
		}
	}
	commit, err := g.repo.Commit(g.Commit, v.Files, message, robotAt(now))
	if err != nil {
		return err
	}
	return g.repo.MoveRef(ref, was, commit)
}

// VersionRef returns the ref of a kept version; empty if it is not kept.
func (g *Ground) VersionRef(number int) string {
	ref := VersionRef(g.Target.Name, number)
	if commit, err := g.repo.Ref(ref); err != nil || commit == "" {
		return ""
	}
	return ref
}
