package gotest

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"path"
	"slices"

	"evolve/gates/beside"
)

// reachCounters is the changed code of a package, instrumented to record which changed
// statements are reached by calls with drawn inputs.
type reachCounters struct {
	// files holds the candidate's instrumented files, by path. counter is the path of an
	// additional file; that file contains the value of none on the base, and the value of
	// all in the candidate.
	files     map[string][]byte
	counter   string
	none, all []byte
	// name is the name of the function that returns the numbers of the reached statements.
	name string
	// spots contains the changed statements, indexed by number.
	spots []changedStmt
}

// changedStmt is one changed statement.
type changedStmt struct {
	function, file string
	line           int
}

func (s changedStmt) String() string { return fmt.Sprintf("%s:%d", s.file, s.line) }

// reaching instruments the changed functions that a plan compares. It returns nil if none
// of them has a new statement.
func (t *checker) reaching(p *pkg, plan *beside.Plan) (*reachCounters, error) {
	was, is, err := t.layout.sources(p)
	if err != nil {
		return nil, err
	}
	helper := t.nonces.word()
	out := &reachCounters{files: map[string][]byte{}, counter: path.Join(p.dir, t.nonces.word()+".go"), name: helper + "Taken"}
	puts, pkgName := map[string]*edits{}, ""
	for _, f := range compare(was, is).functions {
		asked := func(s beside.Subject) bool { return s.Name == f.name && s.Why == "" }
		if plan.Package.Candidate[f.file] == nil || !slices.ContainsFunc(plan.Functions, asked) {
			continue
		}
		first, fresh := is.fset.Position(f.whole.Pos()).Line, freshLines(f.old, is.raw(f.file, f.whole))
		for _, s := range spots(f.body) {
			line := func(at token.Pos) int { return is.fset.Position(at).Line - first }
			if !slices.Contains(fresh[line(s.from):min(line(s.to)+1, len(fresh))], true) {
				continue
			}
			if puts[f.file] == nil {
				puts[f.file] = &edits{}
			}
			puts[f.file].insert(is.fset.Position(s.at).Offset, fmt.Sprintf("%sReach(%d); ", helper, len(out.spots)))
			out.spots = append(out.spots, changedStmt{f.name, f.file, is.fset.Position(s.from).Line})
		}
		pkgName = is.files[f.file].Name.Name
	}
	if len(out.spots) == 0 {
		return nil, t.nonces.err
	}
	for file, put := range puts {
		out.files[file] = put.apply(is.texts[file])
	}
	out.none = fmt.Appendf(nil, "package %s\n\nfunc %sTaken() []int { return nil }\n", pkgName, helper)
	out.all = fmt.Appendf(nil, counting, pkgName, helper, len(out.spots))
	plan.Reached = out.name
	return out, t.nonces.err
}

// counting is the code that is added to the candidate's package to record the statements
// that are reached.
const counting = `package %[1]s

import %[2]sAtomic "sync/atomic"

var %[2]sReached [%[3]d]uint32

func %[2]sReach(n int) { %[2]sAtomic.StoreUint32(&%[2]sReached[n], 1) }

func %[2]sTaken() []int {
	var out []int
	for i := range %[2]sReached {
		if %[2]sAtomic.SwapUint32(&%[2]sReached[i], 0) == 1 {
			out = append(out, i)
		}
	}
	return out
}
`

// missed returns the changed statements that no compared call reached, the number of
// statements that were reached, and the number of those that were reached only by calls
// that ended in an error or a panic. It omits statements in functions that were not
// compared.
func (r *reachCounters) missed(out beside.Outcome) (never []changedStmt, reached, failing int) {
	for i, s := range r.spots {
		switch {
		case !slices.Contains(out.Names, s.function):
		case !out.Reached[i]:
			never = append(never, s)
		default:
			reached++
			if !out.Returned[i] {
				failing++
			}
		}
	}
	return never, reached, failing
}

// unlooked returns the positions of those missed statements that are not reached by any
// test that is in the base or that the patch fixes.
func (t *checker) unlooked(ctx context.Context, missed []changedStmt) ([]string, error) {
	if len(missed) == 0 {
		return nil, nil
	}
	c := t.compiled
	e, err := t.experiment(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range missed {
		seen := false
		for _, p := range c.probed.probes {
			seen = seen || p.condition == "" && p.file == s.file && p.line == s.line && e.reached[p.word]
		}
		if !seen {
			out = append(out, s.String())
		}
	}
	return out, nil
}

// sources returns the source files with the counting code for one version, keyed by path.
func (r *reachCounters) sources(base bool) map[string][]byte {
	if base {
		return map[string][]byte{r.counter: r.none}
	}
	out := maps.Clone(r.files)
	out[r.counter] = r.all
	return out
}
