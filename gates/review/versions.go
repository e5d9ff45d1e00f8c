package review

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/patch"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// MostVersions is the maximum number of versions of a target that its repository retains
// for an archive.
const MostVersions = 20

// versionRefs returns the folder for the refs of a target's versions. Every archive that
// uses the repository has its own folder in it.
func versionRefs(target string) string { return "refs/evolve/code/" + target + "/" }

// versionRef returns the ref of a version. Its name contains the variant in addition to the
// number, because copies of an archive, and an archive that was restored, give the same
// number to other versions.
func versionRef(target, archive string, number int, variant agent.ConfigID) string {
	return fmt.Sprintf("%s%s/v%d-%s", versionRefs(target), archive, number, variant.Short())
}

// versionName matches the last part of the name of a version's ref. Refs written by older
// versions of evolve lack the variant.
var versionName = regexp.MustCompile(`^v([1-9][0-9]{0,17})(?:-([0-9a-f]{8}))?$`)

// Version is a version of a target's code that is retained as a commit.
type Version struct {
	Number  int
	Variant agent.ConfigID
	// Files are the changes that the version makes to the commit at which the target was
	// surveyed.
	Files []patch.File
	// Why describes the origin of the version, and Value states its measured value. Both
	// may be empty.
	Why, Value string
}

// Shelf stores an archive's versions of a target in the target's repository.
type Shelf struct {
	*Ground
	// Archive is the id of the archive.
	Archive string
	// Find returns the archive's version with a given number, or false if there is none.
	// The version's Files is empty if the version no longer applies to the code.
	Find func(number int) (Version, bool, error)
	// Spared lists versions whose refs are not removed, for example because their proposals
	// are waiting.
	Spared []agent.ConfigID
}

// Keep writes versions as commits on top of the ground's commit, each with a ref of its
// own. If the archive then has more than [MostVersions] refs, Keep removes the refs of
// the archive's oldest other versions, except those of the versions in Spared. A ref
// whose commit already has the right tree stays as it is, and so do the refs of other
// archives and of versions that this archive does not have. Keep does not change any
// branch, HEAD, the index or the working tree.
func (s *Shelf) Keep(ctx context.Context, list []Version, now time.Time) error {
	list = list[:min(len(list), MostVersions)]
	var kept []string
	for _, v := range list {
		ref := versionRef(s.Target.Name, s.Archive, v.Number, v.Variant)
		if err := s.keepVersion(ref, v, now); err != nil {
			return fmt.Errorf("storing v%d: %w", v.Number, err)
		}
		kept = append(kept, ref)
	}
	if err := s.takeOver(ctx); err != nil {
		return err
	}
	own, err := s.own()
	if err != nil {
		return err
	}
	left := MostVersions - len(kept)
	for _, ref := range own {
		if slices.Contains(kept, ref) {
			continue
		}
		left--
		if spare := slices.ContainsFunc(s.Spared, func(id agent.ConfigID) bool { return strings.HasSuffix(ref, "-"+id.Short()) }); spare || left >= 0 {
			continue
		}
		if err := s.repo.DeleteRef(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// own returns the refs of the archive's versions, newest first.
func (s *Shelf) own() ([]string, error) {
	below := versionRefs(s.Target.Name) + s.Archive + "/"
	refs, err := s.repo.Refs(below)
	if err != nil {
		return nil, err
	}
	var out []string
	numbers := map[string]int{}
	for _, ref := range refs {
		v, ok, err := s.named(strings.TrimPrefix(ref, below))
		if err != nil {
			return nil, err
		}
		if ok && ref == versionRef(s.Target.Name, s.Archive, v.Number, v.Variant) {
			out, numbers[ref] = append(out, ref), v.Number
		}
	}
	slices.SortFunc(out, func(x, y string) int { return numbers[y] - numbers[x] })
	return out, nil
}

// named returns the archive's version whose number is in last, the last part of a ref. It
// returns false if the archive has no such version, or if last is not the name of a
// version.
func (s *Shelf) named(last string) (Version, bool, error) {
	m := versionName.FindStringSubmatch(last)
	if m == nil {
		return Version{}, false, nil
	}
	number, err := strconv.Atoi(m[1])
	if err != nil {
		return Version{}, false, nil //nolint:nilerr // no archive has so many versions
	}
	return s.Find(number)
}

// takeOver renames refs that older versions of evolve wrote under names shared by all
// workspaces. It renames a ref only if it points to a version of this archive, that is,
// to a commit that changes the same files to the same contents.
func (s *Shelf) takeOver(ctx context.Context) error {
	below := versionRefs(s.Target.Name)
	refs, err := s.repo.Refs(below)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		v, ok, err := s.named(strings.TrimPrefix(ref, below))
		if err != nil {
			return err
		}
		if !ok || ref != below+"v"+strconv.Itoa(v.Number) {
			continue
		}
		commit, err := s.repo.Ref(ref)
		if err != nil {
			return err
		}
		files, err := s.repo.ChangeOf(commit)
		if err != nil || len(files) == 0 || !slices.EqualFunc(files, v.Files, func(x, y patch.File) bool { return x.Path == y.Path && same(x.New, y.New) }) {
			continue //nolint:nilerr // it is no commit of a version, or not of this archive's
		}
		now := versionRef(s.Target.Name, s.Archive, v.Number, v.Variant)
		if had, err := s.repo.Ref(now); err != nil {
			return err
		} else if had == "" {
			err = s.repo.MoveRef(now, "", commit)
			if err != nil {
				return err
			}
		}
		if err := s.repo.DeleteRef(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shelf) keepVersion(ref string, v Version, now time.Time) error {
	was, err := s.repo.Ref(ref)
	if err != nil {
		return err
	}
	if was != "" {
		tree, err := s.repo.Candidate(s.Commit, v.Files)
		if err != nil {
			return err
		}
		if had, err := s.repo.TreeOf(was); err == nil && had == tree {
			return nil
		}
	}
	message := fmt.Sprintf("evolve: v%d of %s\n", v.Number, text.OneLine(s.Target.Name))
	for _, part := range []string{v.Why, v.Value} {
		if part != "" {
			message += "\n" + strings.Join(text.Wrap(text.Clip(text.OneLine(part), maxRationale, text.Ellipsis), 72), "\n") + "\n"
		}
	}
	commit, err := s.repo.Commit(s.Commit, v.Files, message, robotAt(now))
	if err != nil {
		return err
	}
	return s.repo.MoveRef(ref, was, commit)
}

// VersionRef returns the ref of a version that is retained for an archive; empty if it is
// not retained.
func (g *Ground) VersionRef(archive string, number int, variant agent.ConfigID) string {
	if archive == "" {
		return ""
	}
	ref := versionRef(g.Target.Name, archive, number, variant)
	if commit, err := g.repo.Ref(ref); err != nil || commit == "" {
		return ""
	}
	return ref
}
