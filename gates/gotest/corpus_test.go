package gotest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/scan"
	"evolve/gates/typed"
	"evolve/patch"
	"evolve/patch/scope"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

// patchFile is one patch of the corpus.
type patchFile struct {
	module, name string
	// lane is "passed", "human" or "failed": the least strict verdict that the gates
	// must reach. door is "human" for an honest patch that changes a guard, which must
	// be reviewed.
	lane, door, cheat string
	archive           *txtar.Archive
	remove            []string
}

// readCorpus reads all patches and the bases to which they apply.
func readCorpus(t testing.TB) (bases map[string]map[string][]byte, patches []patchFile) {
	t.Helper()
	bases = map[string]map[string][]byte{}
	names, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there is no corpus", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		module := strings.TrimSuffix(filepath.Base(name), ".txtar")
		bases[module] = map[string][]byte{}
		for _, f := range a.Files {
			bases[module][f.Name] = f.Data
		}
		list, err := filepath.Glob("testdata/corpus/" + module + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			patches = append(patches, readPatch(t, module, name))
		}
	}
	return bases, patches
}

func readPatch(t testing.TB, module, name string) patchFile {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := patchFile{module: module, name: strings.TrimSuffix(filepath.Base(name), ".txtar"), archive: a}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "lane":
			p.lane = value
		case "door":
			p.door = value
		case "cheat":
			p.cheat = value
		case "remove":
			p.remove = append(p.remove, value)
		}
	}
	if !slices.Contains([]string{"passed", "human", "failed"}, p.lane) {
		t.Fatalf("%s has no lane", name)
	}
	return p
}

// apply returns the files of the candidate that the patch produces.
func (p patchFile) apply(t testing.TB, base map[string][]byte) map[string][]byte {
	t.Helper()
	out := maps.Clone(base)
	for _, name := range p.remove {
		if out[name] == nil {
			t.Fatalf("%s: there is no %s", p.name, name)
		}
		delete(out, name)
	}
	for _, f := range p.archive.Files {
		name, edit := strings.CutPrefix(f.Name, "edit ")
		if !edit {
			out[name] = f.Data
			continue
		}
		old, now, ok := bytes.Cut(f.Data, []byte("=======\n"))
		if !ok || bytes.Count(out[name], bytes.TrimSuffix(old, []byte("\n"))) != 1 {
			t.Fatalf("%s: %s does not hold %q once", p.name, name, old)
		}
		out[name] = bytes.Replace(out[name], bytes.TrimSuffix(old, []byte("\n")), bytes.TrimSuffix(now, []byte("\n")), 1)
	}
	return out
}

// write puts files into a new folder.
func write(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
		at := patch.TimeOf(data)
		if err := os.Chtimes(to, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// changeOf returns the change between two sets of files.
func changeOf(t testing.TB, base, candidate map[string][]byte) Change {
	t.Helper()
	c := Change{Base: write(t, base), Candidate: write(t, candidate)}
	for name := range candidate {
		old, ok := base[name]
		if ok && bytes.Equal(old, candidate[name]) {
			continue
		}
		c.Changed = append(c.Changed, name)
		if !ok && (strings.HasSuffix(name, "_test.go") || strings.Contains("/"+path.Dir(name)+"/", "/testdata/")) {
			c.NewTests = append(c.NewTests, name)
		}
	}
	for name := range base {
		if _, ok := candidate[name]; !ok {
			c.Changed = append(c.Changed, name)
		}
	}
	return c
}

// newLab returns a lab with a cache for the duration of a test.
func newLab(t testing.TB) *Lab {
	t.Helper()
	walls := sandbox.Detect(t.Context()).WithPlaces()
	if walls.Err() != nil {
		t.Skip(walls.Err())
	}
	tools, err := FindToolchain(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	// The user's build cache already contains the compiled standard library.
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if err := os.Symlink(strings.TrimSpace(string(out)), filepath.Join(cache, "build")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "fresh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return &Lab{Sandbox: walls, Toolchain: tools, Cache: cache, Temp: t.TempDir(), Random: rand.Reader, Now: time.Now}
}

// judgeChange runs the gates and returns the lane and the evidence of all of them.
func judgeChange(ctx context.Context, t testing.TB, l *Lab, c Change) (lane string, verdicts map[string]string, said string) {
	t.Helper()
	list, done, err := l.Gates(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := done(); err != nil {
			t.Error(err)
		}
	}()
	all := gates.Run(ctx, list)
	var b strings.Builder
	verdicts = map[string]string{}
	for _, v := range all {
		fmt.Fprintf(&b, "  %s: %s: %s\n", v.Gate, v.Verdict, v.Evidence)
		verdicts[v.Gate] = v.Verdict
	}
	switch s := gates.Lane(all); s {
	case "awaiting":
		lane = "passed"
	case "human_lane":
		lane = "human"
	default:
		lane = "failed"
	}
	return lane, verdicts, b.String()
}

// whole runs the whole corpus, which takes minutes.
var whole = flag.Bool("corpus", false, "judge every patch of the corpus")

// few is the list of the patches that every run judges; short runs judge only the first
// two.
var few = []string{
	"words/honest-with-own-test", "words/cheat-argv-skip-with-lines", "words/honest-uncovered-reverse", "words/cheat-asks-name",
}

// TestCorpus checks that these gates give the expected verdicts on each patch. It also
// checks the combined verdict of these gates, the scope and the scan: no cheat passes all
// of them, and every honest patch that should pass does.
func TestCorpus(t *testing.T) {
	bases, patches := readCorpus(t)
	l := newLab(t)
	chosen := few
	if testing.Short() {
		chosen = few[:2]
	}
	if *whole { // one patch never ends
		l.Limits.Tests = time.Minute
	}
	for _, p := range patches {
		if !*whole && !slices.Contains(chosen, p.module+"/"+p.name) {
			continue
		}
		t.Run(p.module+"/"+p.name, func(t *testing.T) {
			t.Parallel()
			base := bases[p.module]
			candidate := p.apply(t, base)
			lane, _, said := judgeChange(t.Context(), t, l, changeOf(t, base, candidate))
			if lane != p.lane {
				t.Errorf("lane %s, want %s\n%s", lane, p.lane, said)
			}
			before, beforeSaid := atTheDoor(t, l, base, candidate)
			offered := lane == "passed" && before == "awaiting"
			switch {
			case p.cheat != "" && offered:
				t.Errorf("offered as passed: %s", p.cheat)
			case p.cheat == "" && p.door == "human" && before != "human_lane":
				t.Errorf("a person is not shown what it changes: %s\n%s", before, beforeSaid)
			case p.cheat == "" && p.lane == "passed" && p.door == "" && !offered:
				t.Errorf("an honest patch is not offered: %s\n%s", before, beforeSaid)
			}
			t.Logf("alone %s, at the door %s\n%s%s", lane, before, said, beforeSaid)
		})
	}
}

// atTheDoor returns the verdict of the scope and of the gates that only read the
// source.
func atTheDoor(t testing.TB, l *Lab, base, candidate map[string][]byte) (archive.ProposalState, string) {
	t.Helper()
	tree := func(files map[string][]byte) scope.Tree {
		var out scope.Tree
		for _, name := range slices.Sorted(maps.Keys(files)) {
			out = append(out, scope.Entry{Path: name, Mode: scope.Regular, Hash: fmt.Sprintf("%x", sha256.Sum256(files[name])), Size: int64(len(files[name]))})
		}
		return out
	}
	before := tree(base)
	var top []string
	for name := range base {
		dir, _, _ := strings.Cut(name, "/")
		top = append(top, dir)
	}
	judged := scope.Policy{Allow: append(top, slices.Collect(maps.Keys(candidate))...)}.Judge(before, tree(candidate))
	var sources []scan.Source
	for _, name := range judged.Changed {
		if strings.HasSuffix(name, ".go") {
			sources = append(sources, scan.Source{Path: name, Old: base[name], New: candidate[name]})
		}
	}
	list := append([]gates.Gate{gates.Applied(len(judged.Changed)), gates.Scope(judged)}, scan.Gates(sources)...)
	if len(judged.Refused) == 0 {
		list = append(list, typed.Gates(typed.Change{Base: write(t, base), Candidate: write(t, candidate), Changed: judged.Changed, Root: l.Toolchain.Root, Modules: l.Toolchain.Modules})...)
	}
	verdicts := gates.Run(t.Context(), list)
	said := ""
	for _, v := range verdicts {
		if v.Verdict != "passed" {
			said += fmt.Sprintf("  %s: %s: %s\n", v.Gate, v.Verdict, v.Evidence)
		}
	}
	return gates.Lane(verdicts), said
}
