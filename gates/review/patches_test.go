package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/patch/scope"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init() // the test binary is also the program inside a sandbox
	if os.Getenv(decider) != "" {
		fmt.Println(playDecider(os.Args[1:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// bureau is a desk with a real repository and an in-memory archive. The gates that start Go
// are replaced; they are tested in their own package.
type bureau struct {
	*Reviewer
	t     *testing.T
	store *archive.Archive
	root  string
	now   time.Time
	// says maps the gates that start Go to their verdicts; the default verdict is
	// "passed".
	says map[string]gates.Verdict
	// declared is the last claim of a patch that the gates received.
	declared gotest.Claim
}

const source = "package cache\n\n// Size is how many entries there are room for.\nconst Size = 64\n\n// Zero is nothing.\nconst Zero = 0\n\n// One is something.\nconst One = 1\n\n// Full says whether n entries are too many.\nfunc Full(n int) bool { return n > Size }\n"

func newBureau(t *testing.T) *bureau {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bureau{t: t, root: root, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), says: map[string]gates.Verdict{}}
	scratch := t.TempDir()
	b.store = archive.OpenMemory()
	b.Reviewer = &Reviewer{
		Archive: Opened(b.store), Scratch: scratch, Now: func() time.Time { return b.now },
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
		},
		Targets: []Target{{Name: "code", Repo: root, Named: true, Policy: scope.Policy{Allow: []string{"cache"}}}},
		Sandbox: func() sandbox.Sandbox { return sandbox.None("a test") },
	}
	b.Reviewer.tests = b.stand
	b.write("go.mod", "module example.org/tiny\n\ngo 1.21\n")
	b.write("cache/cache.go", source)
	b.git("init", "--quiet", "--initial-branch=main")
	b.git("add", "--all")
	b.git("commit", "--quiet", "--message=start")
	return b
}

// stand returns gates that read the trees, as a lab's gates do, and run nothing. They
// fail unless all changed paths differ between the trees or, if a patch was reverted, no
// changed path differs.
func (b *bureau) stand(c gotest.Change) []gates.Gate {
	if c.Claim != "" {
		b.declared = c.Claim
	}
	var list []gates.Gate
	for _, name := range []string{gotest.Build, gotest.Vet, gotest.Affected, gotest.All} {
		list = append(list, gates.Gate{Name: name, Check: func(context.Context) (gates.Verdict, string) {
			var same []string
			for _, p := range c.Changed {
				one, err1 := os.ReadFile(filepath.Join(c.Base, p))
				two, err2 := os.ReadFile(filepath.Join(c.Candidate, p))
				if (err1 == nil) == (err2 == nil) && string(one) == string(two) {
					same = append(same, p)
				}
			}
			if len(same) > 0 && len(same) < len(c.Changed) {
				return gates.Failed, strings.Join(same, ", ") + ": the same in both trees"
			}
			if v, ok := b.says[name]; ok {
				return v, "as told"
			}
			return gates.Passed, "stood in for"
		}})
	}
	return list
}

func (b *bureau) write(path, text string) {
	b.t.Helper()
	full := filepath.Join(b.root, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bureau) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.root, b.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// turned returns a diff that changes the value of Size.
func turned(from, to string) string {
	return "--- a/cache/cache.go\n+++ b/cache/cache.go\n@@ -3,3 +3,3 @@\n // Size is how many entries there are room for.\n-const Size = " + from + "\n+const Size = " + to + "\n \n"
}

func (b *bureau) submit(origin, author, text string) (archive.ProposalRecord, error) {
	return b.ProposePatch(b.t.Context(), Submission{Target: "code", Author: author, Origin: origin, Rationale: "room for more\nand why", Diff: text})
}

func (b *bureau) must(p archive.ProposalRecord, err error) archive.ProposalRecord {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bureau) done(d Done, err error) archive.ProposalRecord {
	b.t.Helper()
	return b.must(d.Proposal, err)
}

// kinds returns the kinds of all ledger entries.
func (b *bureau) kinds() []string {
	b.t.Helper()
	var out []string
	for e, err := range b.store.Ledger(b.t.Context(), 1) {
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, e.Kind)
	}
	return out
}

func refused(t *testing.T, err error, part string) {
	t.Helper()
	var r *RefusedError
	if !errors.As(err, &r) || !strings.Contains(r.Text, part) || r.Hint == "" {
		t.Fatalf("%v (hint %q), want a refusal that says %q and what to do", err, r, part)
	}
}

var robin = Decision{By: "Robin <robin@example.org>", Reason: "measured"}

func TestWayOfAPatch(t *testing.T) {
	b := newBureau(t)
	head := b.git("rev-parse", "HEAD")
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if p.State != archive.Awaiting || p.ID != "P1" || p.Patch.BaseCommit != head || p.Patch.Digest != Digest(p) || p.Title != "patch for code: room for more" {
		t.Fatalf("%+v %+v", p, p.Patch)
	}
	var names []string
	for _, g := range p.Gates {
		names = append(names, g.Gate+" "+g.Verdict)
	}
	if names[0] != "apply passed" || names[1] != "scope passed" || names[len(names)-1] != "rollback passed" || !strings.Contains(strings.Join(names, ","), "export passed,build passed,vet passed,affected passed,all passed") {
		t.Fatalf("gates %v", names)
	}
	if got := b.git("rev-parse", "HEAD"); got != head || b.git("status", "--porcelain") != "" {
		t.Fatal("proposing touched the branch or the working tree")
	}
	if got := b.git("show", p.Ref+":cache/cache.go"); !strings.Contains(got, "Size = 128") || b.git("rev-parse", p.Ref+"^") != head {
		t.Fatalf("the ref has %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(b.Scratch, "trees", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	p = b.done(b.Approve(t.Context(), "p1", robin))
	if p.State != archive.Adopted || b.git("rev-parse", "HEAD") != p.AdoptedCommit || b.git("status", "--porcelain") != "" {
		t.Fatalf("%+v", p)
	}
	message := b.git("log", "-1", "--format=%an %B")
	for _, want := range []string{"Robin evolve: adopt", "Evolve-Proposal: P1", "Evolve-Digest: " + p.Patch.Digest, "Evolve-Approved-By: Robin <robin@example.org>", "Evolve-Audit: "} {
		if !strings.Contains(message, want) {
			t.Errorf("the commit does not say %q:\n%s", want, message)
		}
	}
	p = b.done(b.Rollback(t.Context(), "P1", robin))
	if p.State != archive.RolledBack || b.git("show", "HEAD:cache/cache.go") != strings.TrimSpace(source) || b.git("rev-list", "--count", "HEAD") != "3" {
		t.Fatalf("%+v", p)
	}
	if got := strings.Join(b.kinds(), " "); got != "patch.attempt proposal.create proposal.approve proposal.adopted proposal.rollback" {
		t.Errorf("the ledger tells of %s", got)
	}
}

func TestFailedAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		text, gate, says string
	}{
		"no diff":          {"please make it faster", "apply", ""},
		"does not fit":     {turned("65", "128"), "apply", ""},
		"changes nothing":  {turned("64", "64"), "apply", ""},
		"out of scope":     {"--- /dev/null\n+++ b/other/x.go\n@@ -0,0 +1 @@\n+package other\n", "scope", "other/x.go"},
		"edits the module": {"--- a/go.mod\n+++ b/go.mod\n@@ -1,3 +1,3 @@\n module example.org/tiny\n \n-go 1.21\n+go 1.22\n", "scope", "go.mod"},
		"climbs out":       {"--- /dev/null\n+++ b/../x.go\n@@ -0,0 +1 @@\n+package x\n", "apply", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			p := b.must(b.submit(OriginAgent, "aide", c.text))
			at := slices.IndexFunc(p.Gates, func(g archive.GateVerdict) bool { return g.Verdict == "failed" })
			if p.State != archive.GateFailed || p.Ref != "" || at < 0 || p.Gates[at].Gate != c.gate || !strings.Contains(p.Gates[at].Evidence, c.says) || p.Patch.Digest != Digest(p) {
				t.Fatalf("%s %+v", p.State, p.Gates)
			}
			if refs := b.git("for-each-ref", "refs/evolve"); refs != "" {
				t.Errorf("a failed patch has a ref: %s", refs)
			}
			if got := strings.Join(b.kinds(), " "); got != "patch.attempt proposal.create" {
				t.Errorf("the ledger tells of %s", got)
			}
			_, err := b.Approve(t.Context(), p.ID, Decision{By: "Robin", OverrideReason: "I want it"})
			refused(t, err, "has not passed its gates")
		})
	}
}

// TestLedgerTellsOfAttempts checks that the ledger records who made each proposal, when
// and why, and the states before and after, whatever the result.
func TestLedgerTellsOfAttempts(t *testing.T) {
	b := newBureau(t)
	p := b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	for e, err := range b.store.Ledger(t.Context(), 2) {
		if err != nil {
			t.Fatal(err)
		}
		var told map[string]any
		if err := json.Unmarshal(e.Data, &told); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"agent": "aide", "digest": p.Patch.Digest, "rationale": "room for more\nand why", "before": p.Patch.BaseCommit, "after": p.Commit, "tree": p.Patch.Tree,
		} {
			if told[key] != want || want == "" {
				t.Errorf("%s is %v, want %q", key, told[key], want)
			}
		}
		if e.Actor != "aide" || !e.Time.Equal(b.now) || e.Subject != p.ID {
			t.Errorf("entry %+v", e)
		}
	}
}

func TestQuota(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginAgent, "aide", "no diff"))
	b.now = b.now.Add(59 * time.Minute)
	_, err := b.submit(OriginAgent, "aide", turned("64", "128"))
	refused(t, err, "one patch an hour")
	b.must(b.submit(OriginAgent, "other", "no diff"))
	b.must(b.submit(OriginPerson, "aide", "no diff either"))
	b.now = b.now.Add(2 * time.Hour)
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	if got := strings.Count(strings.Join(b.kinds(), " "), "patch.refused"); got != 1 {
		t.Errorf("%d refusals are in the ledger, want 1", got)
	}
}

func TestThreeAdoptionsADay(t *testing.T) {
	b := newBureau(t)
	for i, size := range []string{"65", "66", "67", "68"} {
		p := b.must(b.submit(OriginPerson, "Robin", turned([]string{"64", "65", "66", "67"}[i], size)))
		_, err := b.Approve(t.Context(), p.ID, robin)
		if i < 3 && err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			refused(t, err, "3 patches a day")
			b.now = b.now.Add(24 * time.Hour)
			b.done(b.Approve(t.Context(), p.ID, robin))
		}
	}
}

func TestHumanLane(t *testing.T) {
	b := newBureau(t)
	b.says[gotest.Vet] = gates.Flagged
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	if p.State != archive.HumanLane {
		t.Fatalf("%s: %+v", p.State, p.Gates)
	}
	_, err := b.Approve(t.Context(), p.ID, robin)
	refused(t, err, "flagged")
	w := robin
	w.OverrideReason = "vet is wrong here"
	p = b.done(b.Approve(t.Context(), p.ID, w))
	if !strings.Contains(b.git("log", "-1", "--format=%B"), "override: vet is wrong here") || p.State != archive.Adopted {
		t.Error("the reason is not in the commit")
	}
}

func TestSamePatchTwice(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginAgent, "aide", turned("64", "128")))
	b.now = b.now.Add(2 * time.Hour)
	_, err := b.submit(OriginAgent, "aide", turned("64", "128"))
	refused(t, err, "P1 is the same patch and is awaiting")
	b.done(b.Reject(t.Context(), "P1", robin))
	b.now = b.now.Add(2 * time.Hour)
	_, err = b.submit(OriginAgent, "other", turned("64", "128"))
	refused(t, err, "P1 is the same patch and is rejected")
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
}

// TestSamePatchUnderAnotherName checks that a patch is refused while the same patch to
// another target in the repository awaits a decision, and after that patch was rejected. It
// also checks that a patch to a renamed target replaces the same patch under the old name,
// which can then no longer be approved.
func TestSamePatchUnderAnotherName(t *testing.T) {
	propose := func(b *bureau, target string) (archive.ProposalRecord, error) {
		b.now = b.now.Add(2 * time.Hour)
		return b.ProposePatch(t.Context(), Submission{Target: target, Author: "aide", Origin: OriginAgent, Diff: turned("64", "128")})
	}
	b := newBureau(t)
	other := b.Targets[0]
	other.Name = "renamed"
	b.Targets = append(b.Targets, other)
	b.must(propose(b, "code"))
	_, err := propose(b, "renamed")
	refused(t, err, "P1 is the same patch and is awaiting")
	b.done(b.Reject(t.Context(), "P1", robin))
	_, err = propose(b, "renamed")
	refused(t, err, "P1 is the same patch and is rejected")

	b = newBureau(t)
	b.must(propose(b, "code"))
	b.Targets[0].Name = "renamed"
	p := b.must(propose(b, "renamed"))
	was, err := b.store.Proposal(t.Context(), "P1")
	if err != nil || was.State != archive.Superseded || p.State != archive.Awaiting {
		t.Errorf("P1 is %s, %v, and %s is %s", was.State, err, p.ID, p.State)
	}
	_, err = propose(b, "renamed")
	refused(t, err, p.ID+" is the same patch and is awaiting")
}
