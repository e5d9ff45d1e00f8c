package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/agent"
)

// Draft is the input of a proposal.
type Draft struct {
	Run     string
	Variant archive.Variant
	// Evidence is the digest of the evidence; empty when nothing was measured.
	Evidence string
	// Rests names the evaluations that it was measured by; nil when there are none.
	Rests     *archive.Rests
	Rationale string
}

// robot is the author of proposal commits. The commit of an adoption has the approving
// person as its author.
const robot = "evolve"

// Propose makes the proposal of a variant, runs its gates, and writes its commit on a ref
// of its own if the workspace has a repository. A resumed run finds the proposal that it
// made before. Older proposals for the agent that await a decision are superseded.
func (d *Desk) Propose(ctx context.Context, a *workspace.Agent, draft Draft) (archive.ProposalRecord, error) {
	p, found, err := d.earlier(ctx, func(p archive.ProposalRecord) bool {
		return p.Imported == "" && p.Kind == archive.KindConfig && p.Agent == a.ID && p.Run == draft.Run && p.Variant == draft.Variant.ID && p.State != archive.Superseded
	})
	if err != nil {
		return p, err
	}
	if !found {
		if p, err = d.draw(a, draft); err != nil {
			return p, err
		}
	} else if awaits(p.State) && p.Evidence != draft.Evidence { // the run went on and has more evidence
		p.State, p.Evidence, p.Rests = archive.Drafted, draft.Evidence, draft.Rests
	}
	return d.file(ctx, a, p)
}

// file records a new proposal, runs the gates of a drafted one, and supersedes those that
// it replaces.
func (d *Desk) file(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord) (_ archive.ProposalRecord, err error) {
	if p.ID == "" {
		if p, err = d.Archive.NewProposal(ctx, p); err != nil {
			return p, fmt.Errorf("recording the proposal: %w", err)
		}
	}
	if p.State == archive.Drafted {
		if err := d.pass(ctx, a, &p); err != nil {
			return p, err
		}
	}
	return p, d.supersede(ctx, p)
}

// earlier returns the first proposal for which same is true.
func (d *Desk) earlier(ctx context.Context, same func(archive.ProposalRecord) bool) (archive.ProposalRecord, bool, error) {
	for p, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return p, false, fmt.Errorf("reading the proposals: %w", err)
		}
		if same(p) {
			return p, true, nil
		}
	}
	return archive.ProposalRecord{}, false, nil
}

// draw makes the record: the files, their old contents, the changed parameters.
func (d *Desk) draw(a *workspace.Agent, draft Draft) (archive.ProposalRecord, error) {
	p := archive.ProposalRecord{
		Kind: archive.KindConfig, State: archive.Drafted, Agent: a.ID, Run: draft.Run, Variant: draft.Variant.ID,
		Champion: a.Champion.ID(), Title: fmt.Sprintf("v%d for %s", draft.Variant.Number, a.ID),
		Rationale: draft.Rationale, Base: workspace.BaseOf(a, d.Workspace.Suites), Evidence: draft.Evidence, Rests: draft.Rests,
		Changes: Changes(a.Space.Names(), a.Champion, draft.Variant.Config), Created: d.Now(),
	}
	var err error
	if p.Files, err = d.changed(workspace.ChampionFiles(a, draft.Variant.Config)); err != nil {
		return p, err
	}
	if len(p.Changes) == 0 || len(p.Files) == 0 {
		return p, Refuse("nothing needs to be decided", "v%d is the champion already", draft.Variant.Number)
	}
	return p, nil
}

// changed lists the files whose content differs from want, in the order of their paths.
func (d *Desk) changed(want map[string][]byte) ([]archive.FileChange, error) {
	var out []archive.FileChange
	for _, path := range slices.Sorted(maps.Keys(want)) {
		old, err := d.onDisk(path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if (old == nil) == (want[path] == nil) && bytes.Equal(old, want[path]) {
			continue
		}
		out = append(out, archive.FileChange{Path: path, Old: old, New: want[path]})
	}
	return out, nil
}

// Changes lists the parameters in which two configs differ, in the order of names.
func Changes(names []string, from, to agent.Config) []archive.Change {
	out := []archive.Change{}
	for _, name := range names {
		old, new := from[name], to[name]
		one, two := agent.Config{name: old}, agent.Config{name: new}
		if (old == nil) != (new == nil) || !one.Equal(two) {
			out = append(out, archive.Change{Param: name, Old: old, New: new})
		}
	}
	return out
}

// pass runs the gates, writes the proposal's commit, and stores the resulting state.
func (d *Desk) pass(ctx context.Context, a *workspace.Agent, p *archive.ProposalRecord) error {
	if err := withinKind(*p); err != nil {
		return err
	}
	repo, err := d.repository()
	if err != nil {
		return err
	}
	list, err := d.gates(ctx, a, *p, repo)
	if err != nil {
		return err
	}
	p.Gates = gates.Run(ctx, list)
	p.State = gates.Lane(p.Gates)
	if repo != nil && p.State != archive.GateFailed {
		who := patch.Person{Name: robot, Email: robot + "@localhost", When: d.Now()}
		text, err := d.proposalText(ctx, *p)
		if err != nil {
			return err
		}
		p.Ref, p.Commit, err = repo.Propose(p.ID, files(*p), text, who)
		var conflict *patch.ConflictError
		if errors.As(err, &conflict) {
			// The measured files are not committed: the proposal stays in the archive,
			// and approving it requires a commit first.
			p.Ref, p.Commit = "", ""
		} else if err != nil {
			return fmt.Errorf("writing the proposal's commit: %w", err)
		}
	}
	told := map[string]any{
		"agent": p.Agent, "variant": p.Variant, "run": p.Run, "state": p.State, "evidence": p.Evidence, "gates": p.Gates, "commit": p.Commit,
	}
	if p.Kind != archive.KindConfig {
		told["kind"], told["paths"] = p.Kind, paths(*p)
	}
	return d.settle(ctx, *p, "proposal.create", told)
}

// proposalText returns the message of a proposal's commit, whose trailers attest the
// archive before any decision.
func (d *Desk) proposalText(ctx context.Context, p archive.ProposalRecord) (string, error) {
	id, err := d.Archive.ID(ctx)
	if err != nil || id == "" {
		return proposalMessage(p), err
	}
	b := archive.Bind(p)
	if b.Evidence, b.Evaluations, err = d.Archive.Evidence(ctx, p); err != nil {
		return "", fmt.Errorf("reading the evidence: %w", err)
	}
	_, head, err := d.Archive.LedgerHead(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the ledger: %w", err)
	}
	text := proposalMessage(p)
	for _, t := range [][2]string{{trailerAudit, head}, {trailerBound, b.Digest()}, {trailerArchive, id}} {
		if t[1] != "" {
			text += t[0] + ": " + t[1] + "\n"
		}
	}
	return text, nil
}

// gates returns the gates of a proposal.
func (d *Desk) gates(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord, repo *patch.Repository) ([]gates.Gate, error) {
	if p.Kind == archive.KindTool {
		return d.writtenGates(a, p, repo), nil
	}
	v, err := d.Archive.Variant(ctx, a.ID, p.Variant)
	if err != nil {
		return nil, fmt.Errorf("reading the variant: %w", err)
	}
	return d.configGates(a, p, v.Config, repo), nil
}

func (d *Desk) configGates(a *workspace.Agent, p archive.ProposalRecord, want agent.Config, repo *patch.Repository) []gates.Gate {
	texts := map[string]string{}
	for _, q := range a.Space.Params {
		if q.Kind == agent.Text {
			texts[q.Name] = want.String(q.Name)
		}
	}
	return gates.Config(gates.ConfigChange{
		Want: want, Measured: p.Base, Now: workspace.BaseOf(a, d.Workspace.Suites), Texts: texts,
		Answers:  d.answers(a),
		Reload:   func() (agent.Config, error) { return d.reload(a, p, after) },
		Rehearse: func() error { return rehearsal(repo, p, func() error { return d.rehearse(a, p) }) },
	})
}

// answers returns the reference answers of the agent's tasks.
func (d *Desk) answers(a *workspace.Agent) *bench.AnswerIndex {
	var tasks []bench.Task
	for _, name := range a.Suites {
		if s := d.Workspace.Suites[name]; s != nil {
			tasks = append(tasks, s.Tasks...)
		}
	}
	return bench.IndexAnswers(tasks)
}

// rehearsal applies a change and reverts it on the last commit. It calls onFiles if there
// is no commit or the workspace differs from it.
func rehearsal(repo *patch.Repository, p archive.ProposalRecord, onFiles func() error) error {
	if repo != nil {
		_, head, err := repo.Head()
		if err != nil {
			return err
		}
		err = repo.Rehearse(head, files(p))
		var conflict *patch.ConflictError
		if err == nil || !errors.As(err, &conflict) {
			return err
		}
	}
	return onFiles()
}

// reload writes one side of the proposal into a scratch folder and reads it back.
func (d *Desk) reload(a *workspace.Agent, p archive.ProposalRecord, side func(archive.FileChange) []byte) (agent.Config, error) {
	scratch, err := d.lay(a, p, side)
	if scratch != "" {
		defer func() { _ = os.RemoveAll(scratch) }()
	}
	if err != nil {
		return nil, err
	}
	return workspace.ReadChampion(scratch, a)
}

// rehearse applies the change to a copy of the champion's files and reverts it.
func (d *Desk) rehearse(a *workspace.Agent, p archive.ProposalRecord) error {
	back, err := d.reload(a, p, before)
	if err != nil {
		return err
	}
	if !back.Equal(a.Champion) {
		return errors.New("taking it back does not restore the champion")
	}
	return nil
}

// lay writes the agent's champion files, changed to one side of the proposal, into
// a scratch folder.
func (d *Desk) lay(a *workspace.Agent, p archive.ProposalRecord, side func(archive.FileChange) []byte) (string, error) {
	scratch, err := os.MkdirTemp("", "evolve-rehearsal-")
	if err != nil {
		return "", err
	}
	contents := map[string][]byte{}
	for path := range workspace.ChampionFiles(a, a.Champion) {
		if contents[path], err = d.onDisk(path); err != nil {
			return scratch, err
		}
	}
	for _, f := range p.Files {
		contents[f.Path] = side(f)
	}
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return scratch, err
	}
	for path, data := range contents {
		if err == nil && data != nil {
			err = put(root, path, data)
		}
	}
	return scratch, errors.Join(err, root.Close())
}

// supersede closes the agent's older undecided proposals that this one replaces: for a
// config all those of configs; for a tool or skill those that change one of the same
// files.
func (d *Desk) supersede(ctx context.Context, p archive.ProposalRecord) error {
	if p.State != archive.Awaiting {
		return nil
	}
	for other, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return fmt.Errorf("reading the proposals: %w", err)
		}
		if other.Agent != p.Agent || other.ID == p.ID || other.Kind != p.Kind || !awaits(other.State) {
			continue
		}
		if p.Kind != archive.KindConfig && !slices.ContainsFunc(paths(other), func(path string) bool { return slices.Contains(paths(p), path) }) {
			continue
		}
		other.State = archive.Superseded
		if err := d.settle(ctx, other, "proposal.supersede", map[string]string{"by": p.ID}); err != nil {
			return err
		}
	}
	return nil
}

// settle stores a proposal and its ledger entry in one step: a process killed between two
// steps would leave one without the other for good.
func (d *Desk) settle(ctx context.Context, p archive.ProposalRecord, kind string, data any, intents ...archive.Intent) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	if _, err := d.Archive.SettleProposal(ctx, p, archive.LedgerEntry{Time: d.Now(), Kind: kind, Actor: robot, Subject: p.ID, Data: raw}, intents...); err != nil {
		return fmt.Errorf("recording %s and its ledger entry: %w", p.ID, err)
	}
	return nil
}
