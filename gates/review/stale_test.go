package review

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/gotest"
)

// TestMovedBase checks that a patch gated on another commit is gated again, and that a
// person must look again unless there is no relevant difference.
func TestMovedBase(t *testing.T) {
	for name, c := range map[string]struct {
		move  func(*bureau)
		state archive.ProposalState // after the first try
	}{
		"another file": {func(b *bureau) { b.write("cache/other.go", "package cache\n") }, archive.Awaiting},
		"the same file elsewhere": {func(b *bureau) {
			b.write("cache/cache.go", strings.Replace(source, "// Full says", "// Full tells", 1))
		}, archive.Awaiting},
		"the same line": {func(b *bureau) {
			b.write("cache/cache.go", strings.Replace(source, "Size = 64", "Size = 65", 1))
		}, archive.GateFailed},
		"the file is gone": {func(b *bureau) { b.git("rm", "--quiet", "cache/cache.go") }, archive.GateFailed},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
			if b.StalePatch(p) != "" {
				t.Fatalf("stale at once: %s", b.StalePatch(p))
			}
			was := p.Patch.Digest
			c.move(b)
			b.git("add", "--all")
			b.git("commit", "--quiet", "--message=meanwhile")
			if !strings.Contains(b.StalePatch(p), "HEAD is now commit") {
				t.Errorf("stale: %q", b.StalePatch(p))
			}
			_, err := b.Approve(t.Context(), "P1", robin)
			refused(t, err, "were out of date; they ran again on")
			p = b.must(b.Find(t.Context(), "P1"))
			if p.State != c.state || p.Patch.Digest == was || p.Patch.Digest != Digest(p) || p.Patch.BaseCommit != b.git("rev-parse", "HEAD") {
				t.Fatalf("%+v %+v", p, p.Patch)
			}
			if c.state != archive.Awaiting {
				return
			}
			b.done(b.Approve(t.Context(), "P1", robin))
			if got := b.git("show", "HEAD:cache/cache.go"); !strings.Contains(got, "Size = 128") {
				t.Error(got)
			}
		})
	}
}

// TestMovedWithoutChange checks that a person need not look again after an empty commit,
// which has the same tree, unless a gate's verdict differs.
func TestMovedWithoutChange(t *testing.T) {
	b := newBureau(t)
	b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.git("commit", "--quiet", "--allow-empty", "--message=nothing")
	b.says[gotest.Vet] = gates.Flagged
	_, err := b.Approve(t.Context(), "P1", robin)
	refused(t, err, "were out of date")
	b.says = map[string]gates.Verdict{}
	b.git("commit", "--quiet", "--allow-empty", "--message=nothing again")
	w := robin
	w.OverrideReason = "it was flagged"
	_, err = b.Approve(t.Context(), "P1", w)
	refused(t, err, "were out of date")
	b.git("commit", "--quiet", "--allow-empty", "--message=and again")
	b.done(b.Approve(t.Context(), "P1", robin))
}

func TestMovedPolicy(t *testing.T) {
	b := newBureau(t)
	p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
	b.Targets[0].Policy.Deny = []string{"cache/cache.go"}
	if b.StalePatch(p) == "" {
		t.Error("not stale although the policy changed")
	}
	_, err := b.Approve(t.Context(), "P1", robin)
	refused(t, err, "were out of date")
	if p = b.must(b.Find(t.Context(), "P1")); p.State != archive.GateFailed {
		t.Fatalf("%s: %+v", p.State, p.Gates)
	}
}

// TestTampered checks that a record that was changed by hand cannot be adopted.
func TestTampered(t *testing.T) {
	for name, spoil := range map[string]func(*archive.ProposalRecord){
		"a verdict":   func(p *archive.ProposalRecord) { p.Gates[0].Evidence = "better" },
		"a file":      func(p *archive.ProposalRecord) { p.Files[0].New = []byte("package cache\n") },
		"the tree":    func(p *archive.ProposalRecord) { p.Patch.Tree = strings.Repeat("0", 40) },
		"the digest":  func(p *archive.ProposalRecord) { p.Patch.Digest = strings.Repeat("0", 64) },
		"a gate less": func(p *archive.ProposalRecord) { p.Gates = p.Gates[:3] },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			p := b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
			spoil(&p)
			if err := b.store.PutProposal(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			_, err := b.Approve(t.Context(), "P1", robin)
			refused(t, err, "its digest does not match")
		})
	}
}

// TestNotReady checks that nothing that git would refuse is recorded.
func TestNotReady(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*bureau)
		says  string
	}{
		"not committed": {func(b *bureau) { b.write("cache/cache.go", source+"\n") }, "not committed: cache/cache.go"},
		"no branch":     {func(b *bureau) { b.git("checkout", "--quiet", "--detach") }, "is detached"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
			c.spoil(b)
			_, err := b.Approve(t.Context(), "P1", robin)
			refused(t, err, c.says)
			if p := b.must(b.Find(t.Context(), "P1")); p.State != archive.Awaiting {
				t.Error(p.State)
			}
		})
	}
}

// TestHinderedBeforeTheApproval checks that a change that git would refuse or write in
// another form is refused before the approval is recorded, and likewise before a rollback.
func TestHinderedBeforeTheApproval(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*bureau)
		why     string
	}{
		"a dirty file": {func(b *bureau) { b.write("cache/cache.go", "package cache\n") }, "cache/cache.go"},
		"a filter": {func(b *bureau) {
			b.git("config", "filter.twist.smudge", "sed s/128/129/")
			b.write(".git/info/attributes", "*.go filter=twist\n")
		}, "cache/cache.go (filter=twist)"},
		"a lock": {func(b *bureau) { b.write(".git/index.lock", "") }, "another git process is running"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t)
			b.must(b.submit(OriginPerson, "Robin", turned("64", "128")))
			c.prepare(b)
			if _, err := b.Approve(t.Context(), "P1", robin); err == nil || !strings.Contains(err.Error(), c.why) {
				t.Fatalf("%v, want %q", err, c.why)
			}
			p := b.must(b.Find(t.Context(), "P1"))
			if kinds := strings.Join(b.kinds(), " "); p.State != archive.Awaiting || strings.Contains(kinds, "approve") || b.git("rev-list", "--count", "HEAD") != "1" {
				t.Errorf("%s, %s", p.State, kinds)
			}
		})
	}
}
