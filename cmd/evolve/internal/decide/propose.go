package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/agent"
)

// Draft is what a proposal is made from.
type Draft struct {
	Run     string
	Variant archive.Variant
	// Evidence is the digest of what speaks for it; empty when nothing was measured.
	Evidence  string
	Rationale string
}

// robot is the author of proposal commits; the person who approves signs the
// commit that is adopted.
const robot = "evolve"

// Propose draws up the proposal of a variant, passes it through the gates, and
// writes its commit on a ref of its own when the workspace has a repository. A
// run that is taken up again finds the proposal it made. Older proposals for the
// agent that still await are superseded.
func (d *Desk) Propose(ctx context.Context, a *workspace.Agent, draft Draft) (archive.ProposalRecord, error) {
	p, found, err := d.earlier(ctx, a, draft)
	if err != nil {
		return p, err
	}
	if !found {
		if p, err = d.draw(a, draft); err != nil {
			return p, err
		}
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

// earlier finds the proposal that the same run made of the same variant.
func (d *Desk) earlier(ctx context.Context, a *workspace.Agent, draft Draft) (archive.ProposalRecord, bool, error) {
	for p, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return p, false, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Agent == a.ID && p.Run == draft.Run && p.Variant == draft.Variant.ID && p.State != archive.Superseded {
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
		Rationale: draft.Rationale, Base: workspace.BaseOf(a, d.Workspace.Suites), Evidence: draft.Evidence,
		Changes: Changes(a.Space.Names(), a.Champion, draft.Variant.Config), Created: d.Now(),
	}
	want := workspace.ChampionFiles(a, draft.Variant.Config)
	for _, path := range slices.Sorted(maps.Keys(want)) {
		old, err := d.onDisk(path)
		if err != nil {
			return p, fmt.Errorf("reading %s: %w", path, err)
		}
		if (old == nil) == (want[path] == nil) && bytes.Equal(old, want[path]) {
			continue
		}
		p.Files = append(p.Files, archive.FileChange{Path: path, Old: old, New: want[path]})
	}
	if len(p.Changes) == 0 || len(p.Files) == 0 {
		return p, refuse("nothing needs to be decided", "v%d is the champion already", draft.Variant.Number)
	}
	return p, nil
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

// pass runs the gates, writes the proposal's commit, and stores where it stands.
func (d *Desk) pass(ctx context.Context, a *workspace.Agent, p *archive.ProposalRecord) error {
	v, err := d.Archive.Variant(ctx, a.ID, p.Variant)
	if err != nil {
		return fmt.Errorf("reading the variant: %w", err)
	}
	repo, err := d.repository()
	if err != nil {
		return err
	}
	p.Gates = gates.Run(ctx, d.gates(a, *p, v.Config, repo))
	p.State = gates.Lane(p.Gates)
	if repo != nil && p.State != archive.GateFailed {
		who := patch.Person{Name: robot, Email: robot + "@localhost", When: d.Now()}
		p.Ref, p.Commit, err = repo.Propose(p.ID, files(*p), proposalMessage(*p), who)
		var conflict *patch.ConflictError
		if errors.As(err, &conflict) {
			// What was measured is not committed: the proposal waits in the
			// archive, and approving asks for a commit first.
			p.Ref, p.Commit = "", ""
		} else if err != nil {
			return fmt.Errorf("writing the proposal's commit: %w", err)
		}
	}
	if err := d.Archive.PutProposal(ctx, *p); err != nil {
		return fmt.Errorf("recording the proposal: %w", err)
	}
	return d.note(ctx, "proposal.create", p.ID, map[string]any{
		"agent": p.Agent, "variant": p.Variant, "run": p.Run, "state": p.State, "evidence": p.Evidence, "gates": p.Gates, "commit": p.Commit,
	})
}

// gates lists the checks of a config proposal.
func (d *Desk) gates(a *workspace.Agent, p archive.ProposalRecord, want agent.Config, repo *patch.Repository) []gates.Gate {
	texts := map[string]string{}
	for _, q := range a.Space.Params {
		if q.Kind == agent.Text {
			texts[q.Name] = want.String(q.Name)
		}
	}
	var tasks []bench.Task
	for _, name := range a.Suites {
		if s := d.Workspace.Suites[name]; s != nil {
			tasks = append(tasks, s.Tasks...)
		}
	}
	return gates.Config(gates.ConfigChange{
		Want: want, Measured: p.Base, Now: workspace.BaseOf(a, d.Workspace.Suites), Texts: texts,
		Answers: bench.IndexAnswers(tasks),
		Reload:  func() (agent.Config, error) { return d.reload(a, p, after) },
		Rehearse: func() error {
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
				// The workspace differs from its last commit: rehearse on the files.
			}
			return d.rehearse(a, p)
		},
	})
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

// rehearse applies the change to a copy of the champion files and takes it back.
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
	for path, data := range contents {
		if data == nil {
			continue
		}
		target := filepath.Join(scratch, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return scratch, err
		}
		if err := os.WriteFile(target, data, 0o600); err != nil {
			return scratch, err
		}
	}
	return scratch, nil
}

// supersede closes the agent's older proposals that still await.
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
		other.State = archive.Superseded
		if err := d.Archive.PutProposal(ctx, other); err != nil {
			return fmt.Errorf("superseding %s: %w", other.ID, err)
		}
		if err := d.note(ctx, "proposal.supersede", other.ID, map[string]string{"by": p.ID}); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) note(ctx context.Context, kind, subject string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	if _, err := d.Archive.Append(ctx, archive.LedgerEntry{Time: d.Now(), Kind: kind, Actor: robot, Subject: subject, Data: raw}); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}
