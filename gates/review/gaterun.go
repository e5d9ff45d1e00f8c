package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"evolve/archive"
	"evolve/gates"
	"evolve/gates/calls"
	"evolve/gates/gotest"
	"evolve/gates/scan"
	"evolve/gates/versions"
	"evolve/patch"
	"evolve/patch/scope"
	"evolve/runtime/text"
)

// The gates that this package adds to those of packages scope, scan and gotest.
const (
	gateApply    = archive.ApplyGate
	gateScope    = "scope"
	gateExport   = "export"
	gateRollback = "rollback"
	// gateUnique is listed only if it fails.
	gateUnique = "unique"
)

// maxEvidence is the maximum length of the evidence of one gate, in bytes.
const maxEvidence = 4000

// gateRun is one run of the gates on a patch.
type gateRun struct {
	*Reviewer
	target Target
	repo   *patch.Repository
	// base is the commit from which the patch starts, and tree is the resulting tree.
	base, tree string
	files      []patch.File
	// confirmed holds the measurements made when a night confirmed the patch; nil for any
	// other patch.
	confirmed *archive.Confirmed
	// claim is the kind of change that the text of the patch declares.
	claim gotest.Claim
	// judged is the result of the scope check once the check has been made.
	judged scope.Judgement
	// before and after are the folders, in scratch, of the exported trees.
	before, after, scratch string
	tools                  *gotest.Toolchain
	// hasGo reports whether the base or the patched tree contains Go files.
	hasGo bool
	// usual is the time that the target's commands take on the base, once it is known.
	usual *versions.Scored
	// deceives reports whether the program gate failed because the values depend on how the
	// scoring command is started; see [gateRun.contradicts] and [starts].
	deceives bool
	// chance reports whether two runs of the base print different values.
	chance bool
	// spent is the cost of trying the patch with its agent, in USD.
	spent float64
}

// gate runs the gates on a patch, which takes minutes, and records the result. was is the
// record as stored before the run; if the stored record has changed when the gates end, the
// result is discarded. gate overwrites the files of an earlier attempt, so it can be
// repeated after a crash. The caller must hold the claim to the proposal.
func (rev *Reviewer) gate(ctx context.Context, t Target, p, was archive.ProposalRecord, entry string) (archive.ProposalRecord, error) {
	repo, err := rev.open(t)
	if err != nil {
		return p, err
	}
	brief := *p.Patch
	p.Patch = &brief
	b := p.Patch
	if b.Terms, b.Policy, err = t.terms(); err != nil {
		return p, err
	}
	b.Tree, err = repo.Candidate(b.BaseCommit, files(p))
	var conflict *patch.ConflictError
	if errors.As(err, &conflict) {
		return rev.recordGates(ctx, p, was, func(ctx context.Context, s *session) (archive.ProposalRecord, error) {
			return s.unappliable(ctx, p, entry, conflict.Error())
		})
	}
	if err != nil {
		if err = unwritten(fmt.Errorf("writing the patched tree: %w", err)); was.State == archive.Drafted && errors.As(err, new(*UnwritableError)) {
			err = &LeftError{ID: p.ID, Err: err}
		}
		return was, err
	}
	if err := rev.step("tree"); err != nil {
		return p, err
	}
	w := &gateRun{Reviewer: rev, target: t, repo: repo, base: b.BaseCommit, tree: b.Tree, files: files(p), confirmed: b.Confirmed, claim: gotest.ClaimOf(p.Title + "\n" + p.Rationale)}
	p.Gates, err = w.run(ctx, p.ID)
	if ctx.Err() != nil { // an interrupted gate is not evidence about the patch
		return was, errors.Join(&LeftError{ID: p.ID, Err: context.Cause(ctx)}, rev.charge(ctx, was, costTrial, w.spent))
	}
	if err != nil {
		return was, errors.Join(err, rev.charge(ctx, was, costTrial, w.spent))
	}
	if err := rev.step("gates"); err != nil {
		return p, err
	}
	b.NewTests, b.Sandbox, b.CostUSD = w.judged.NewTests, rev.Sandbox().Name(), b.CostUSD+w.spent
	gated, err := rev.recordGates(ctx, p, was, func(ctx context.Context, s *session) (archive.ProposalRecord, error) {
		return s.recordVerdicts(ctx, repo, p, entry, w.spent)
	})
	if was.State == archive.Drafted && errors.As(err, new(*UnwritableError)) {
		return was, errors.Join(&LeftError{ID: was.ID, Err: err}, rev.charge(ctx, was, costTrial, w.spent))
	}
	return gated, err
}

// run prepares the scratch folder and runs the gates.
func (w *gateRun) run(ctx context.Context, id string) ([]archive.GateVerdict, error) {
	done, err := w.prepare(ctx, id)
	if err != nil {
		return nil, err
	}
	defer done()
	w.before, w.after = filepath.Join(w.scratch, "base"), filepath.Join(w.scratch, "candidate")
	return w.runGates(ctx)
}

// prepare waits for other runs of gates to end and creates the scratch folder. done removes
// the folder and lets the next run start.
func (w *gateRun) prepare(ctx context.Context, id string) (done func(), err error) {
	release, err := w.waitForGates(ctx)
	if err != nil {
		return nil, err
	}
	if w.scratch, err = w.makeTrees(id); err != nil {
		release()
		return nil, err
	}
	return func() {
		_ = os.RemoveAll(w.scratch)
		release()
	}, nil
}

// recordGates records the result of the gates if the stored proposal has not changed
// since its earlier state (was).
func (rev *Reviewer) recordGates(ctx context.Context, p, was archive.ProposalRecord, work func(context.Context, *session) (archive.ProposalRecord, error)) (archive.ProposalRecord, error) {
	err := rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.findPatch(ctx, was.ID)
		if err != nil {
			return err
		}
		if now.State != was.State || now.Patch.Digest != was.Patch.Digest || now.Patch.Interrupted != was.Patch.Interrupted || (reviewed(now) == nil) != (reviewed(was) == nil) {
			p = now
			if now.State == was.State {
				return Refuse("`evolve show "+now.ID+"` shows its history", "the verdicts on %s were discarded, because the patch or its review changed while the gates ran", now.ID)
			}
			return Refuse("`evolve show "+now.ID+"` shows its history", "the verdicts on %s were discarded, because the patch is now %s", now.ID, now.State.Name())
		}
		p, err = work(ctx, s)
		return err
	})
	if errors.Is(err, archive.ErrLocked) {
		return was, &LeftError{ID: was.ID, Err: err}
	}
	return p, err
}

// recordVerdicts records the verdicts. If another proposal of the same patch began to await
// a decision while the gates ran, it adds a failed verdict of gateUnique.
func (s *session) recordVerdicts(ctx context.Context, repo *patch.Repository, p archive.ProposalRecord, entry string, spent float64) (archive.ProposalRecord, error) {
	var refused *RefusedError
	if _, err := s.findDuplicate(ctx, p); errors.As(err, &refused) {
		p.Gates = append(p.Gates, archive.GateVerdict{Gate: gateUnique, Verdict: string(gates.Failed), Evidence: "another proposal changed while the gates ran: " + refused.Text})
	} else if err != nil {
		return p, err
	}
	b := p.Patch
	p.State, b.Digest, b.Review = gates.Lane(p.Gates), Digest(p), nil
	p.Base = map[string]string{"commit": b.BaseCommit, "policy": b.Policy}
	if p.State != archive.GateFailed {
		if err := s.publish(repo, &p); err != nil {
			return p, unwritten(err)
		}
	}
	if err := s.step("ref"); err != nil {
		return p, err
	}
	var err error
	if b.Unreviewed, err = s.unreviewed(ctx, p); err != nil {
		return p, err
	}
	if err := s.costs(ctx, p.ID, costTrial, spent); err != nil {
		return p, err
	}
	if err := s.record(ctx, p, entry, p.Agent, gatedData(p)); err != nil {
		return p, err
	}
	return p, s.supersedeVersions(ctx, p)
}

// supersedeVersions applies to a target whose code is searched. If a newer version of the
// code awaits a decision, it closes the older undecided patches for the target, because
// the newer version was measured against them. A newer version whose gates have not run
// yet replaces only drafts. The same patch under a former name of the target is closed in
// any case.
func (s *session) supersedeVersions(ctx context.Context, p archive.ProposalRecord) error {
	if p.State == archive.GateFailed {
		return nil
	}
	return s.supersedeAll(ctx, p, func(other archive.ProposalRecord) bool {
		if other.ID == p.ID || other.Kind != p.Kind || other.Created.After(p.Created) {
			return false
		}
		awaits := other.State == archive.Awaiting || other.State == archive.HumanLane
		if samePlace(other, p) && s.renamed(p, other) && sameFiles(other, p) {
			return (awaits || other.State == archive.Drafted) && other.Imported == ""
		}
		if _, same := other.VariantOf(p.Patch.Target); !same || p.Patch.Variant == "" {
			return false
		}
		return awaits && p.State != archive.Drafted || other.State == archive.Drafted && other.Imported == ""
	})
}

// publish writes the proposal's commit to its ref, so that git retains what a person has to
// decide on. The same record always results in the same commit.
func (rev *Reviewer) publish(repo *patch.Repository, p *archive.ProposalRecord) error {
	by := robotAt(p.Created)
	commit, err := repo.Commit(p.Patch.BaseCommit, files(*p), proposalMessage(*p), by)
	if err != nil {
		return fmt.Errorf("writing the proposal's commit: %w", err)
	}
	ref, err := repo.Publish(p.ID, commit, by, func(old string) bool { return old == p.Commit })
	if err != nil {
		return fmt.Errorf("writing the proposal's ref: %w", err)
	}
	p.Ref, p.Commit = ref, commit
	return nil
}

// runGates runs all gates in order.
func (w *gateRun) runGates(ctx context.Context) (verdicts []archive.GateVerdict, err error) {
	if err := w.judge(); err != nil {
		return nil, err
	}
	list := []gates.Gate{gates.Applied(len(w.files)), gates.Scope(w.judged)}
	if w.hasGo {
		list = append(list, needing(scan.Gates(w.sources()), gateScope)...)
	}
	list = append(list, gates.Gate{Name: gateExport, Needs: []string{gateScope}, Check: w.export})
	built := buildGate // name of the gate that shows that the tree works
	if w.hasGo {
		tests, done, err := w.testGates(ctx, gotest.Change{Base: w.before, Candidate: w.after, Changed: w.judged.Changed, NewTests: w.judged.NewTests, Claim: w.claim})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, done()) }()
		list = append(list, needing(tests, gateExport)...)
	} else {
		list = append(list, needing(w.languageGates(), gateExport)...)
		built = gateExport
	}
	if w.commanded() {
		list = append(list, needing(w.programGates(), gateExport)...)
		if !w.hasGo {
			built = gateProgram
		}
	} else if w.scoredAgain() {
		list = append(list, needing([]gates.Gate{{Name: gateProgram, Check: w.walled(w.compareProgram)}}, built)...)
	}
	// The measurements of the program gate come before the findings of the gate that only
	// reads the names of calls.
	if files := w.callFiles(); calls.Reads(files) {
		list = append(list, needing([]gates.Gate{calls.Gate(files)}, gateScope)...)
	}
	if w.target.Benchmark != nil {
		list = append(list, needing([]gates.Gate{w.benchmarkGate()}, built)...)
	}
	if w.target.Agent != "" {
		// A patched program gets what the agent's adapter provides, which may include
		// network access and API keys, so it is started only if all earlier gates permit
		// that.
		trial := w.agentGate()
		for _, g := range list {
			trial.Needs = append(trial.Needs, g.Name)
		}
		list = append(list, trial)
	}
	list = append(list, gates.Gate{Name: gateRollback, Needs: []string{gateExport, built}, Check: w.rehearse})
	verdicts = gates.Run(ctx, list)
	for i := range verdicts {
		v := &verdicts[i]
		v.Evidence = text.Clip(v.Evidence, maxEvidence, text.Ellipsis)
		v.Deceives = v.Verdict == string(gates.Failed) && (v.Gate == gateProgram && w.deceives || v.Gate == calls.GateName || scan.Deceives(v.Gate))
	}
	return verdicts, nil
}

// needing makes every gate in a list depend on the named gate.
func needing(list []gates.Gate, name string) []gates.Gate {
	for i := range list {
		if !slices.Contains(list[i].Needs, name) {
			list[i].Needs = append([]string{name}, list[i].Needs...)
		}
	}
	return list
}

// judge checks the difference between the two trees against the target's scope, and records
// whether either contains Go files.
func (w *gateRun) judge() error {
	before, err := w.repo.Tree(w.base)
	if err != nil {
		return fmt.Errorf("reading the base: %w", err)
	}
	after, err := w.repo.Tree(w.tree)
	if err != nil {
		return fmt.Errorf("reading the patched tree: %w", err)
	}
	w.judged = w.target.scope().Judge(before, after)
	w.hasGo = hasGo(before) || hasGo(after)
	return nil
}

// findGo sets hasGo if the tree of the commit from, or the patched tree, contains Go files.
func (w *gateRun) findGo(from string) error {
	for _, tree := range []string{from, w.tree} {
		files, err := w.repo.Tree(tree)
		if err != nil {
			return fmt.Errorf("reading the target: %w", err)
		}
		w.hasGo = w.hasGo || hasGo(files)
	}
	return nil
}

// sources returns the changed Go files.
func (w *gateRun) sources() []scan.Source {
	var out []scan.Source
	for _, f := range w.files {
		if filepath.Ext(f.Path) == ".go" {
			out = append(out, scan.Source{Path: f.Path, Old: f.Old, New: f.New})
		}
	}
	return out
}

// callFiles returns the changed files in languages other than Go.
func (w *gateRun) callFiles() []calls.File {
	var out []calls.File
	for _, f := range w.files {
		if !IsGo(f.Path) {
			out = append(out, calls.File{Path: f.Path, Old: f.Old, New: f.New})
		}
	}
	return out
}

// export writes both trees to folders for the later gates.
func (w *gateRun) export(ctx context.Context) (gates.Verdict, string) {
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
	return gates.Passed, fmt.Sprintf("tree %.12s and tree %.12s, both read solely from the repository's objects", tree, w.tree)
}
