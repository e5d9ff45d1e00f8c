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
	// gateUnique is listed only when it fails.
	gateUnique = "unique"
)

// maxEvidence bounds the evidence of one gate, in bytes.
const maxEvidence = 4000

// passage is one run of a patch through the gates.
type passage struct {
	desk   *Desk
	target Target
	repo   *patch.Repository
	// base and tree are the commit that the patch starts from and the resulting tree.
	base, tree string
	files      []patch.File
	// claim is the kind of change that the patch's text declares.
	claim gotest.Claim
	// judged is the result of the scope check, once it was made.
	judged scope.Judgement
	// before and after are the folders of the exported trees, in scratch.
	before, after, scratch string
	tools                  *gotest.Toolchain
	// spent is the cost of the patch's trial, in USD.
	spent float64
}

// gate runs a patch through the gates, which takes minutes, and records the result. was
// is the stored record; if the stored one has changed by then, the result is dropped.
// gate overwrites what an earlier attempt left, so that it can be repeated after a crash.
// The caller holds the claim to the proposal.
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
	if ctx.Err() != nil { // an interrupted gate is no evidence about the patch
		return was, errors.Join(&LeftError{ID: p.ID, Err: context.Cause(ctx)}, d.charge(ctx, was, costTrial, way.spent))
	}
	if err != nil {
		return was, errors.Join(err, d.charge(ctx, was, costTrial, way.spent))
	}
	if err := d.step("gates"); err != nil {
		return p, err
	}
	b.NewTests, b.Sandbox, b.CostUSD = way.judged.NewTests, d.Sandbox().Name(), b.CostUSD+way.spent
	return d.file(ctx, p, was, func(ctx context.Context, a *archive.Archive) (archive.ProposalRecord, error) {
		return d.filed(ctx, a, repo, p, entry, way.spent)
	})
}

// through waits for other passages, prepares the scratch folder and runs the gates.
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

// file records the result of the gates if the stored proposal is still the same as was.
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

// filed records the verdicts. If the same patch began to await a decision while the gates
// ran, a failed verdict of gateUnique is added.
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

// publish writes the proposal's commit to its ref, so that git keeps what a person has to
// decide on. The same record gives the same commit. If another workspace made a ref of
// that name, publish leaves it alone and appends the commit's name to its own.
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

// pass runs all gates, in their order.
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
		// A patched program gets what the agent's adapter provides, which may include the
		// network and keys, so it starts only if all earlier gates let it.
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

// needing makes every gate of a list depend on the named gate.
func needing(list []gates.Gate, name string) []gates.Gate {
	for i := range list {
		if !slices.Contains(list[i].Needs, name) {
			list[i].Needs = append([]string{name}, list[i].Needs...)
		}
	}
	return list
}

// judge checks both trees against the scope.
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

// sources returns the changed Go files.
func (w *passage) sources() ([]scan.Source, error) {
	var out []scan.Source
	for _, f := range w.files {
		if filepath.Ext(f.Path) == ".go" {
			out = append(out, scan.Source{Path: f.Path, Old: f.Old, New: f.New})
		}
	}
	return out, nil
}

// export writes out both trees for the later gates.
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
