package patching

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/gates"
	"evolve/gates/gotest"
	"evolve/gates/scan"
	"evolve/patch"
	"evolve/patch/scope"
)

// The gates that this package adds to those of scope, scan and gotest.
const (
	gateApply    = "apply"
	gateScope    = "scope"
	gateExport   = "export"
	gateRollback = "rollback"
	// gateUnique is there only when it fails.
	gateUnique = "unique"
)

// maxEvidence bounds the words of one gate, in bytes.
const maxEvidence = 4000

// passage is one way of a patch through the gates.
type passage struct {
	desk   *Desk
	target Target
	repo   *patch.Repository
	// base and tree are the commit that the patch starts from and the tree it leads to.
	base, tree string
	files      []patch.File
	// claim is what the patch's text declares of it.
	claim gotest.Claim
	// judged is what the scope says, once it was asked.
	judged scope.Judgement
	// before and after are the folders of the exported trees, in scratch.
	before, after, scratch string
	tools                  *gotest.Toolchain
	// spent is what trying the patch has cost, in USD.
	spent float64
}

// gate passes a patch through the gates, which takes minutes, and files what they found.
// was is the record as it is stored: when it is another by then, what was found is of no
// use. Whatever an earlier attempt left is overwritten, so that it may be repeated after
// a crash. The caller has the claim to the proposal.
func (d *Desk) gate(ctx context.Context, t Target, p, was archive.ProposalRecord, entry string) (archive.ProposalRecord, error) {
	repo, err := d.open(t)
	if err != nil {
		return p, err
	}
	brief := *p.Patch
	p.Patch = &brief
	b := p.Patch
	if b.Terms, err = t.terms(); err != nil {
		return p, err
	}
	if b.Policy, err = t.policy(); err != nil {
		return p, err
	}
	files := Change(p)
	b.Tree, err = repo.Candidate(b.BaseCommit, files)
	var conflict *patch.ConflictError
	if errors.As(err, &conflict) {
		return d.file(ctx, p, was, func(ctx context.Context, a *archive.Archive) (archive.ProposalRecord, error) {
			return d.unappliable(ctx, a, p, entry, conflict.Error())
		})
	}
	if err != nil {
		return p, fmt.Errorf("writing the patched tree: %w", err)
	}
	if err := d.step("tree"); err != nil {
		return p, err
	}
	way := &passage{desk: d, target: t, repo: repo, base: b.BaseCommit, tree: b.Tree, files: files, claim: gotest.ClaimOf(p.Title + "\n" + p.Rationale)}
	p.Gates, err = way.through(ctx, p.ID)
	if ctx.Err() != nil { // an interrupted gate says nothing about the patch
		return was, errors.Join(&LeftError{ID: p.ID, Err: context.Cause(ctx)}, d.charge(ctx, was, costTrial, way.spent))
	}
	if err != nil {
		return was, errors.Join(err, d.charge(ctx, was, costTrial, way.spent))
	}
	if err := d.step("gates"); err != nil {
		return p, err
	}
	b.NewTests, b.Sandbox, b.CostUSD = way.judged.NewTests, d.Walls().Name(), b.CostUSD+way.spent
	return d.file(ctx, p, was, func(ctx context.Context, a *archive.Archive) (archive.ProposalRecord, error) {
		return d.filed(ctx, a, repo, p, entry, way.spent)
	})
}

// through makes room for a passage and passes it.
func (w *passage) through(ctx context.Context, id string) ([]archive.GateVerdict, error) {
	release, err := w.desk.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if w.scratch, err = w.desk.trees(id); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(w.scratch) }()
	w.before, w.after = filepath.Join(w.scratch, "base"), filepath.Join(w.scratch, "candidate")
	return w.pass(ctx)
}

// file records what gates found of a proposal that is still as it was.
func (d *Desk) file(ctx context.Context, p, was archive.ProposalRecord, work func(context.Context, *archive.Archive) (archive.ProposalRecord, error)) (archive.ProposalRecord, error) {
	err := d.Archive.Patiently(ctx, func(ctx context.Context, a *archive.Archive) error {
		now, err := find(ctx, a, was.ID)
		if err != nil {
			return err
		}
		if now.State != was.State || now.Patch.Digest != was.Patch.Digest || now.Patch.Interrupted != was.Patch.Interrupted || (Reviewed(now) == nil) != (Reviewed(was) == nil) {
			p = now
			return decide.Refuse("`evolve show "+now.ID+"` tells its story", "what the gates of %s found was dropped: meanwhile it is %s", now.ID, stateName(now.State))
		}
		p, err = work(ctx, a)
		return err
	})
	if errors.Is(err, archive.ErrLocked) {
		return was, &LeftError{ID: was.ID, Err: err}
	}
	return p, err
}

// filed records the verdicts. The same patch may have come to wait for a person while
// the gates ran; one of the two is enough.
func (d *Desk) filed(ctx context.Context, a *archive.Archive, repo *patch.Repository, p archive.ProposalRecord, entry string, spent float64) (archive.ProposalRecord, error) {
	var refused *decide.RefusedError
	if _, err := d.told(ctx, a, p); errors.As(err, &refused) {
		p.Gates = append(p.Gates, archive.GateVerdict{Gate: gateUnique, Verdict: string(gates.Failed), Evidence: "while the gates ran it came to this: " + refused.Text})
	} else if err != nil {
		return p, err
	}
	b := p.Patch
	p.State, b.Digest, b.Review = gates.Lane(p.Gates), Digest(p), nil
	p.Base = map[string]string{"commit": b.BaseCommit, "policy": b.Policy}
	if p.State != archive.GateFailed {
		if err := d.publish(repo, &p); err != nil {
			return p, err
		}
	}
	if err := d.step("ref"); err != nil {
		return p, err
	}
	var err error
	if b.Unreviewed, err = d.unreviewed(ctx, a, p); err != nil {
		return p, err
	}
	if err := d.costs(ctx, a, p.ID, costTrial, spent); err != nil {
		return p, err
	}
	return p, d.settle(ctx, a, entry, p.Agent, p, story(p))
}

// publish writes the proposal's commit on its ref, so that git does not lose what a
// person is asked about. The same record gives the same commit. A ref of that name that
// another workspace made is left alone: the commit's own name is then added to it.
func (d *Desk) publish(repo *patch.Repository, p *archive.ProposalRecord) error {
	who := patch.Person{Name: robot, Email: robot + "@localhost", When: p.Created}
	commit, err := repo.Commit(p.Patch.BaseCommit, Change(*p), proposalMessage(*p), who)
	if err != nil {
		return fmt.Errorf("writing the proposal's commit: %w", err)
	}
	ref := patch.ProposalRef(p.ID)
	old, err := repo.Ref(ref)
	if err != nil {
		return err
	}
	if old != "" && old != p.Commit && old != commit {
		ref += "-" + commit[:12]
		if old, err = repo.Ref(ref); err != nil {
			return err
		}
	}
	if err := repo.MoveRef(ref, old, commit); err != nil {
		return fmt.Errorf("writing the proposal's ref: %w", err)
	}
	p.Ref, p.Commit = ref, commit
	return nil
}

// pass goes through all gates, in their order.
func (w *passage) pass(ctx context.Context) (verdicts []archive.GateVerdict, err error) {
	if err := w.judge(); err != nil {
		return nil, err
	}
	list := []gates.Gate{gates.Applied(len(w.files)), gates.Scope(w.judged)}
	list = append(list, needing(scan.Gates(w.sources), gateScope)...)
	list = append(list, gates.Gate{Name: gateExport, Needs: []string{gateScope}, Check: w.export})
	tests, done, err := w.tests(ctx, gotest.Change{Base: w.before, Candidate: w.after, Changed: w.judged.Changed, NewTests: w.judged.NewTests, Claim: w.claim})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	list = append(list, needing(tests, gateExport)...)
	if w.target.Benchmark != nil {
		list = append(list, needing([]gates.Gate{w.benchmark()}, buildGate)...)
	}
	if w.target.Agent != "" {
		// A patched program has what the agent's adapter gives it, which may be the network
		// and keys: whatever is found against the patch before keeps it from being started.
		trial := w.agent()
		for _, g := range list {
			trial.Needs = append(trial.Needs, g.Name)
		}
		list = append(list, trial)
	}
	list = append(list, gates.Gate{Name: gateRollback, Needs: []string{gateExport, buildGate}, Check: w.rehearse})
	verdicts = gates.Run(ctx, list)
	for i := range verdicts {
		verdicts[i].Evidence = clip(verdicts[i].Evidence, maxEvidence)
	}
	return verdicts, nil
}

// needing adds a gate that all of a list need.
func needing(list []gates.Gate, name string) []gates.Gate {
	for i := range list {
		if !slices.Contains(list[i].Needs, name) {
			list[i].Needs = append([]string{name}, list[i].Needs...)
		}
	}
	return list
}

// judge asks the scope about both trees.
func (w *passage) judge() error {
	tree, err := w.repo.TreeOf(w.base)
	if err != nil {
		return fmt.Errorf("reading the base: %w", err)
	}
	before, err := w.repo.Tree(tree)
	if err != nil {
		return fmt.Errorf("reading the base: %w", err)
	}
	after, err := w.repo.Tree(w.tree)
	if err != nil {
		return fmt.Errorf("reading the patched tree: %w", err)
	}
	w.judged = w.target.Policy.Judge(before, after)
	return nil
}

// sources are the changed Go files.
func (w *passage) sources() ([]scan.Source, error) {
	var out []scan.Source
	for _, f := range w.files {
		if filepath.Ext(f.Path) == ".go" {
			out = append(out, scan.Source{Path: f.Path, Old: f.Old, New: f.New})
		}
	}
	return out, nil
}

// export writes both trees out, as every later gate reads them.
func (w *passage) export(ctx context.Context) (gates.Verdict, string) {
	tree, err := w.repo.TreeOf(w.base)
	if err == nil {
		err = w.repo.Export(ctx, tree, w.before)
	}
	if err == nil {
		err = w.repo.Export(ctx, w.tree, w.after)
	}
	if err != nil {
		return gates.NotRun, "the trees could not be written out: " + err.Error()
	}
	return gates.Passed, fmt.Sprintf("tree %.12s and tree %.12s, out of the objects alone", tree, w.tree)
}
