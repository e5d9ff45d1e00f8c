package scope

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// segment draws names that rules refer to and, more often, plain names.
func segment(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"a", "b", "c", "pkg", "x.go", "y.go", "z.txt", "A", "B.go", "x_test.go", "testdata", "go.mod", "vendor", ".git", "..", "", "é", "e\u0301", "nul",
	}).Draw(t, "segment")
}

func drawnPath(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.Custom(segment), 1, 4).Draw(t, "segments"), "/")
}

func drawn(t *rapid.T, label string) Tree {
	var out Tree
	for _, p := range rapid.SliceOfNDistinct(rapid.Custom(drawnPath), 0, 12, func(p string) string { return p }).Draw(t, label) {
		out = append(out, Entry{
			Path: p, Hash: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "hash"), Size: 1,
			Mode: rapid.SampledFrom([]Mode{Regular, Regular, Regular, Executable, Symlink, Submodule}).Draw(t, "mode"),
		})
	}
	return out
}

func policy(t *rapid.T) Policy {
	return Policy{
		Allow: rapid.SliceOfN(rapid.Custom(drawnPath), 0, 3).Draw(t, "allow"), Deny: rapid.SliceOfN(rapid.Custom(drawnPath), 0, 2).Draw(t, "deny"),
		Cgo: rapid.Bool().Draw(t, "cgo"), Runtime: rapid.Bool().Draw(t, "runtime"),
	}
}

func TestNothingChangedNothingJudged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawn(t, "base")
		if diff := cmp.Diff(Judgement{}, policy(t).Judge(base, slices.Clone(base))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestOrderMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, base, candidate := policy(t), drawn(t, "base"), drawn(t, "candidate")
		want := p.Judge(base, candidate)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for _, tr := range []Tree{base, candidate} {
			random.Shuffle(len(tr), func(i, j int) { tr[i], tr[j] = tr[j], tr[i] })
		}
		if diff := cmp.Diff(want, p.Judge(base, candidate)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestOutsideIsRefused checks judgements against a second, slower implementation of the
// policy. Everything that differs is listed, and everything that is not below an allowed
// entry, or is below a denied entry, is refused.
func TestOutsideIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, base, candidate := policy(t), drawn(t, "base"), drawn(t, "candidate")
		got := p.Judge(base, candidate)
		refused := map[string]bool{}
		for _, f := range got.Refused {
			refused[f.Path] = true
		}
		under := func(list []string, path string) bool {
			return slices.ContainsFunc(list, func(e string) bool { return strings.HasPrefix(path+"/", strings.TrimSuffix(e, "/")+"/") })
		}
		for _, e := range slices.Concat(base, candidate) {
			if slices.Contains(base, e) && slices.Contains(candidate, e) {
				continue
			}
			if !slices.Contains(got.Changed, e.Path) {
				t.Fatalf("%q differs and is not listed", e.Path)
			}
			if (!under(p.Allow, e.Path) || under(p.Deny, e.Path)) && !refused[e.Path] {
				t.Fatalf("%q is outside and not refused", e.Path)
			}
			if e.Mode != Regular && e.Mode != Executable && !refused[e.Path] {
				t.Fatalf("%q of mode %o is not refused", e.Path, e.Mode)
			}
		}
		for _, path := range got.NewTests {
			if refused[path] || !slices.Contains(got.Changed, path) || slices.ContainsFunc(base, func(e Entry) bool { return e.Path == path }) {
				t.Fatalf("%q is no new test", path)
			}
		}
	})
}

// TestDenyingMoreRefusesMore checks that no additional entry in a deny list causes anything
// to be allowed, and that no additional entry in an allow list causes anything to be
// refused.
func TestDenyingMoreRefusesMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, base, candidate := policy(t), drawn(t, "base"), drawn(t, "candidate")
		plain := rapid.SampledFrom([]string{"a", "pkg", "pkg/a", "b/c", "."}).Draw(t, "entry")
		before := len(p.Judge(base, candidate).Refused)
		stricter, looser := p, p
		stricter.Deny = append(slices.Clone(p.Deny), plain)
		looser.Allow = append(slices.Clone(p.Allow), plain)
		if n := len(stricter.Judge(base, candidate).Refused); n < before {
			t.Fatalf("%d findings, and %d with one more entry denied", before, n)
		}
		if n := len(looser.Judge(base, candidate).Refused); n > before {
			t.Fatalf("%d findings, and %d with one more entry allowed", before, n)
		}
	})
}

// FuzzPath adds one path to a tree that may contain it in another spelling. An accepted
// path must be read the same way on every system.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"pkg/a.go", "pkg/A.go", "../x", "a\\b", "pkg/testdata/x", ".git/x", "ＡＢ", "a/b/c/d.go", "con", "K", "\xff/x", "a//b"} {
		f.Add(s, "pkg/a.go")
	}
	f.Fuzz(func(t *testing.T, path, other string) {
		if strings.Count(fold(path), "/") != strings.Count(path, "/") {
			t.Fatalf("folding %q changes its segments", path)
		}
		base := tree("LICENSE", other)
		if path == other || path == "LICENSE" {
			return
		}
		got := all.Judge(base, append(slices.Clone(base), tree(path)...))
		if !slices.Equal(got.Changed, []string{path}) {
			t.Fatalf("changed: %q", got.Changed)
		}
		if len(got.Refused) > 0 {
			return
		}
		clean := path != "" && !strings.HasPrefix(path, "/") && !strings.ContainsAny(path, "\\:*?\"<>|\x00\n\r\t\x1b")
		for _, s := range strings.Split(path, "/") {
			low := strings.ToLower(s)
			clean = clean && s != "" && strings.Trim(s, " .") != "" && !strings.HasPrefix(low, ".git") && !strings.HasSuffix(s, ".") && !strings.HasPrefix(s, "-")
		}
		for i := range len(path) {
			clean = clean && path[i] >= ' ' && path[i] < 0x7f
		}
		if !clean || strings.EqualFold(path, other) || strings.HasPrefix(strings.ToLower(other)+"/", strings.ToLower(path)+"/") {
			t.Fatalf("%q was let through beside %q", path, other)
		}
	})
}

// BenchmarkJudge judges a change to ten files in a repository of 100,000 files.
func BenchmarkJudge(b *testing.B) {
	var base Tree
	for i := range 100_000 {
		base = append(base, tree(fmt.Sprintf("pkg/p%03d/sub%d/file%d.go", i/200, i/20%10, i))...)
	}
	candidate := slices.Clone(base)
	for i := range 10 {
		candidate[i*7919].Hash = "edited"
	}
	for b.Loop() {
		if got := all.Judge(base, candidate); len(got.Changed) != 10 || len(got.Refused) > 0 {
			b.Fatalf("%+v", got)
		}
	}
}
