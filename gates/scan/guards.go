package scan

import (
	"go/ast"
	"slices"
)

// guard is one kind of protection: certain functions, by package, and certain methods of
// any type. An empty list stands for the whole package.
type guard struct {
	what    string
	calls   map[string][]string
	methods []string
}

// guards are protections that tests seldom cover, because everything works without them
// until a rare event or an attack occurs.
var guards = []guard{
	{what: "taking a lock", methods: []string{"Lock", "RLock", "TryLock", "TryRLock"}},
	{what: "comparing secrets in constant time", calls: map[string][]string{
		"crypto/subtle": {"ConstantTimeCompare", "ConstantTimeEq", "ConstantTimeByteEq"}, "crypto/hmac": {"Equal"},
		"golang.org/x/crypto/bcrypt": {"CompareHashAndPassword"},
	}},
	{what: "verifying a signature", calls: map[string][]string{
		"crypto/ed25519": {"Verify", "VerifyWithOptions"}, "crypto/ecdsa": {"Verify", "VerifyASN1"}, "crypto/rsa": {"VerifyPKCS1v15", "VerifyPSS"},
	}, methods: []string{"CheckSignature", "CheckSignatureFrom", "VerifyHostname"}},
	{what: "cryptographically secure randomness", calls: map[string][]string{"crypto/rand": {}}},
	{what: "escaping", calls: map[string][]string{
		"html": {"EscapeString"}, "html/template": {}, "net/url": {"QueryEscape", "PathEscape"}, "regexp": {"QuoteMeta"}, "strconv": {"Quote", "QuoteToASCII"},
	}},
	{what: "limiting input", calls: map[string][]string{"net/http": {"MaxBytesReader", "MaxBytesHandler"}, "io": {"LimitReader", "LimitedReader"}}},
	{what: "confinement of a path to its folder", calls: map[string][]string{
		"path/filepath": {"IsLocal", "Clean", "Localize"}, "path": {"Clean"}, "io/fs": {"ValidPath"}, "os": {"OpenRoot", "OpenInRoot"},
	}},
	{what: "a time limit", calls: map[string][]string{
		"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"}, "net/http": {"TimeoutHandler"},
	}, methods: []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}},
}

// has reports whether a selector refers to the guard, in a file with the given imports.
func (g guard) has(imported map[string]string, s *ast.SelectorExpr) bool {
	if id, ok := ast.Unparen(s.X).(*ast.Ident); ok {
		if pkg, ok := imported[id.Name]; ok {
			list, ok := g.calls[pkg]
			return ok && (len(list) == 0 || slices.Contains(list, s.Sel.Name))
		}
	}
	return slices.Contains(g.methods, s.Sel.Name)
}

// guarded returns the number of guards of each kind in a subtree of a file with the given
// imports.
func guarded(imported map[string]string, n ast.Node) map[string]int {
	out := map[string]int{}
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			for _, g := range guards {
				if g.has(imported, s) {
					out[g.what]++
				}
			}
		}
		return true
	})
	return out
}

// findLost counts, by kind, the guards that the patch removes from the package.
func (p *pkg) findLost() {
	p.lost = map[string]int{}
	for _, f := range p.files {
		if before := f.before(); before != nil {
			for what, n := range guarded(before.imported, before.now) {
				p.lost[what] += n
			}
		}
		for what, n := range guarded(f.imported, f.now) {
			p.lost[what] -= n
		}
	}
}

// lostGuards reports guards that a patch removes. A guard counts as removed if its kind
// occurs less often in the package than before, so a guard that is only moved is not
// reported.
func lostGuards(f *file, found report) {
	before := f.before()
	if before == nil {
		return
	}
	for _, g := range guards {
		if f.pkg.lost[g.what] <= 0 || guarded(before.imported, before.now)[g.what] <= guarded(f.imported, f.now)[g.what] {
			continue
		}
		at := f.now.Package
		for _, u := range f.units {
			if u.before != nil && guarded(before.imported, u.before)[g.what] > guarded(f.imported, u.node)[g.what] {
				at = u.node.Pos()
				break
			}
		}
		found(at, false, "the base has a guard that is missing here: %s", g.what)
	}
}
