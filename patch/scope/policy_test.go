package scope

import (
	"slices"
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	big := tree("a.go", "b.go", "c.go")
	big[0].Size, big[1].Size, big[2].Size = defaultBytes, defaultBytes+1, -1
	rules := func(p Policy, candidate Tree) string {
		var out []string
		for _, f := range p.Judge(nil, candidate).Refused {
			out = append(out, f.Path+" "+f.Rule)
		}
		return strings.Join(out, ", ")
	}
	if got := rules(all, big); got != "b.go size, c.go size" {
		t.Errorf("sizes: %s", got)
	}
	if got := rules(Policy{Allow: []string{"."}, MaxFiles: 2, MaxBytes: defaultBytes + 1}, big); got != " too many files, c.go size" {
		t.Errorf("bounds of the policy: %s", got)
	}
	if got := rules(all, append(tree("a.go"), tree("a.go", "b.go")...)); got != "a.go twice" {
		t.Errorf("a path twice: %s", got)
	}
	odd := tree("a.go")
	odd[0].Mode = 0o100664
	if got := rules(all, odd); got != "a.go mode" {
		t.Errorf("an odd mode: %s", got)
	}
}

// TestOwnCode judges patches to the code that judges patches.
func TestOwnCode(t *testing.T) {
	for _, c := range []struct {
		base    []string
		path    string
		refused bool
	}{
		{[]string{"cmd/evolve/main.go"}, "gates/gate.go", true},
		{[]string{"cmd/evolve/main.go"}, "bench/grade/x.go", true},
		{[]string{"cmd/evolve/main.go"}, "mutate/x.go", false},
		{[]string{"cmd/other/main.go"}, "gates/gate.go", false},
		{[]string{"tools/cmd/evolve/main.go"}, "tools/patch/x.go", true},
		{[]string{"tools/cmd/evolve/main.go"}, "patch/x.go", false},
		{[]string{"evolve.yaml"}, "suites/s.yaml", true},
		{[]string{"evolve.yaml"}, "evolve.yaml", true},
		{[]string{"work/evolve.yaml"}, "work/agents/a/agent.yaml", true},
		{[]string{"work/evolve.yaml"}, "work/target/x.go", false},
		{nil, "evolve.yaml", false}, // the base has no workspace, and a new one does no harm
	} {
		base := tree(c.base...)
		got := all.Judge(base, edit(base, "~"+c.path))
		if refused := len(got.Refused) > 0; refused != c.refused {
			t.Errorf("%s in %v: refused %v (%+v), want %v", c.path, c.base, refused, got.Refused, c.refused)
		}
	}
}

func TestDigest(t *testing.T) {
	p := Policy{Allow: []string{"b", "a/"}, Deny: []string{"x"}}
	same := Policy{Allow: []string{"a", "b", "b/"}, Deny: []string{"x"}, MaxFiles: defaultFiles, MaxBytes: defaultBytes}
	if p.Digest() != same.Digest() {
		t.Error("the same policy, written in another way, has another digest")
	}
	if slices.Equal(p.Allow, []string{"a", "b"}) {
		t.Error("the digest sorted its owner's list")
	}
	seen := map[string]bool{p.Digest(): true}
	for _, other := range []Policy{
		{},
		{Allow: []string{"a", "b"}},
		{Allow: []string{"a", "b", "x"}},
		{Allow: []string{"a,b"}, Deny: []string{"x"}},
		{Allow: p.Allow, Deny: p.Deny, Cgo: true},
		{Allow: p.Allow, Deny: p.Deny, Runtime: true},
		{Allow: p.Allow, Deny: p.Deny, MaxFiles: 21},
		{Allow: p.Allow, Deny: p.Deny, MaxBytes: 1},
	} {
		if seen[other.Digest()] {
			t.Errorf("%+v has the digest of another policy", other)
		}
		seen[other.Digest()] = true
	}
}
