package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/mutate/evidence"
	"evolve/patch"
	"evolve/runtime/agent"
)

// Draft is the input to a proposal for a config.
type Draft struct {
	// Run is the run that makes the proposal; RuledBy has the same meaning as in
	// [archive.ProposalRecord].
	Run     string
	RuledBy string
	Variant archive.Variant
	// Evidence is the digest of the evidence; empty if nothing was measured.
	Evidence string
	// Rests names the evaluations on which the measurement of the config rests; nil if
	// there are none.
	Rests     *archive.Rests
	Rationale string
}

// ProposeConfig makes the proposal for a variant, runs its gates, and, if the workspace
// has a repository, writes the proposal's commit to a separate ref. A resumed run reuses
// the proposal that it made before; a call outside a run reuses an undecided proposal.
// Older proposals for a config of the agent that await a decision are superseded.
func (rev *Reviewer) ProposeConfig(ctx context.Context, agentID string, draft Draft) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.proposeConfig(ctx, agentID, draft) })
}

// ProposeByHand makes a proposal for a variant that a person chose. The proposal states
// what the runs found about the variant against the present champion, then the person's
// reason, if there is one.
func (rev *Reviewer) ProposeByHand(ctx context.Context, agentID string, v archive.Variant, reason string) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) {
		before, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool {
			return p.Imported == "" && p.Kind == archive.KindConfig && p.Agent == agentID && p.Variant == v.ID && !Undecided(p.State)
		})
		if err != nil {
			return archive.ProposalRecord{}, err
		}
		origin := "proposed by hand"
		if len(before) > 0 {
			origin = "proposed again by hand"
		}
		return s.proposeUnrun(ctx, agentID, v, origin, reason)
	})
}

// proposeUnrun makes a proposal for a variant that no run proposes. The rationale begins
// with the origin of the proposal.
func (s *session) proposeUnrun(ctx context.Context, agentID string, v archive.Variant, origin, reason string) (archive.ProposalRecord, error) {
	a, err := s.proposer(agentID)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	known, err := evidence.Latest(ctx, s.store, a.ID, v.ID, evidence.Conditions{Champion: a.Champion.ID(), AgentHash: a.Hash, Rules: a.Rules})
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	rationale := origin + "; " + known.Words()
	switch {
	case reason == "":
	case known.Ruling != nil:
		rationale += "; reason: " + reason
	default:
		rationale += ": " + reason
	}
	return s.proposeConfig(ctx, agentID, Draft{RuledBy: known.Run, Variant: v, Rationale: rationale})
}

func (s *session) proposeConfig(ctx context.Context, agentID string, draft Draft) (archive.ProposalRecord, error) {
	a, err := s.proposer(agentID)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	earlier, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool {
		return p.Imported == "" && p.Kind == archive.KindConfig && p.Agent == a.ID && p.Run == draft.Run && p.Variant == draft.Variant.ID && p.State != archive.Superseded && (p.Run != "" || Undecided(p.State))
	})
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	var p archive.ProposalRecord
	if len(earlier) == 0 {
		if p, err = s.configRecord(a, draft); err != nil {
			return p, err
		}
	} else if p = earlier[0]; Undecided(p.State) && p.Evidence != draft.Evidence { // the run was continued and has more evidence
		p.State, p.Evidence, p.Rests = archive.Drafted, draft.Evidence, draft.Rests
	}
	return s.fileProposal(ctx, p)
}

// fileProposal records a new proposal, runs the gates if it is drafted, and supersedes the
// proposals that it replaces.
func (s *session) fileProposal(ctx context.Context, p archive.ProposalRecord) (_ archive.ProposalRecord, err error) {
	if p.ID == "" {
		if p, err = s.store.NewProposal(ctx, p); err != nil {
			return p, fmt.Errorf("recording the proposal: %w", err)
		}
	}
	if p.State == archive.Drafted {
		if err := s.gateFiles(ctx, &p); err != nil {
			return p, err
		}
	}
	return p, s.supersede(ctx, p)
}

// configRecord creates the record of a proposal for a config, with the changed files, their
// old contents and the changed parameters.
func (s *session) configRecord(a *Agent, draft Draft) (archive.ProposalRecord, error) {
	p := archive.ProposalRecord{
		Kind: archive.KindConfig, State: archive.Drafted, Agent: a.ID, Run: draft.Run, RuledBy: draft.RuledBy, Variant: draft.Variant.ID,
		Champion: a.Champion.ID(), Title: fmt.Sprintf("v%d for %s", draft.Variant.Number, a.ID),
		Rationale: draft.Rationale, Base: a.Base, Evidence: draft.Evidence, Rests: draft.Rests,
		Changes: Changes(a.Space.Names(), a.Champion, draft.Variant.Config), Created: s.Now(),
	}
	var err error
	if p.Files, err = s.changed(a.Files(draft.Variant.Config)); err != nil {
		return p, err
	}
	if len(p.Changes) == 0 || len(p.Files) == 0 {
		return p, Refuse("nothing needs to be decided", "v%d is already the champion", draft.Variant.Number)
	}
	return p, nil
}

// changed lists the files in want whose content on disk differs, sorted by path.
func (s *session) changed(want map[string][]byte) ([]archive.FileChange, error) {
	var out []archive.FileChange
	for _, path := range slices.Sorted(maps.Keys(want)) {
		old, err := s.onDisk(path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if !same(old, want[path]) {
			out = append(out, archive.FileChange{Path: path, Old: old, New: want[path]})
		}
	}
	return out, nil
}

// Changes lists the parameters in which two configs differ, in the order in which names
// lists them.
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

// gateFiles runs the gates for a config, a tool or a skill, writes the proposal's commit,
// and stores the resulting state.
func (s *session) gateFiles(ctx context.Context, p *archive.ProposalRecord) error {
	f := &fileSubject{session: s, p: *p}
	if err := f.resolve(); err != nil {
		return err
	}
	repo, err := f.repository()
	if err != nil {
		return err
	}
	list, err := f.gates(ctx, repo)
	if err != nil {
		return err
	}
	p.Gates = gates.Run(ctx, list)
	p.State = gates.Lane(p.Gates)
	if repo != nil && p.State != archive.GateFailed {
		id, err := s.store.ID(ctx)
		if err != nil {
			return fmt.Errorf("reading the archive's id: %w", err)
		}
		text, err := s.attestedProposal(ctx, *p)
		if err != nil {
			return err
		}
		p.Ref, p.Commit, err = repo.Propose(p.ID, files(*p), text, robotAt(s.Now()), func(commit string) bool {
			m, _ := repo.MessageOf(commit)
			return proposes(*p, m.Trailers(), id)
		})
		var conflict *patch.ConflictError
		if errors.As(err, &conflict) {
			// The measured files differ from the committed ones: the proposal is stored
			// only in the archive, and the files must be committed before it can be
			// approved.
			p.Ref, p.Commit = "", ""
		} else if err != nil {
			return fmt.Errorf("writing the proposal's commit: %w", err)
		}
	}
	data := map[string]any{
		"agent": p.Agent, "variant": p.Variant, "run": p.Run, "state": p.State, "evidence": p.Evidence, "gates": p.Gates, "commit": p.Commit,
	}
	if p.Kind != archive.KindConfig {
		data["kind"], data["paths"] = p.Kind, paths(*p)
	}
	return s.record(ctx, *p, entryCreate, robot, data)
}

// proposes reports whether an interrupted command wrote a commit for the proposal but did
// not record the commit; if so, the commit's trailers name this archive, the proposal,
// and the same variant and run.
func proposes(p archive.ProposalRecord, trailers map[string]string, id string) bool {
	return id != "" && trailers[trailerArchive] == id && trailers["Evolve-Proposal"] == p.ID &&
		trailers["Evolve-Variant"] == string(p.Variant) && trailers["Evolve-Run"] == p.Run
}

// supersede closes the agent's older undecided proposals that this proposal replaces. A
// proposal for a config replaces all others for configs. A proposal for a tool or skill
// replaces those that change any of the same files. A proposal for memories replaces those
// that change the same file in the same way, either adding memories or marking them.
func (s *session) supersede(ctx context.Context, p archive.ProposalRecord) error {
	if p.State != archive.Awaiting {
		return nil
	}
	return s.supersedeAll(ctx, p, func(other archive.ProposalRecord) bool {
		return other.Agent == p.Agent && other.ID != p.ID && other.Kind == p.Kind && Undecided(other.State) && (p.Kind == archive.KindConfig || overlap(other, p) && other.AddsMemories() == p.AddsMemories())
	})
}

// supersedeAll closes the proposals for which the given function (which) returns true,
// because the proposal p replaces them.
func (s *session) supersedeAll(ctx context.Context, p archive.ProposalRecord, which func(archive.ProposalRecord) bool) error {
	replaced, err := proposals(ctx, s.store, which)
	if err != nil {
		return err
	}
	for _, other := range replaced {
		other.State = archive.Superseded
		if err := s.record(ctx, other, "proposal.supersede", robot, map[string]string{"by": p.ID}); err != nil {
			return err
		}
	}
	return nil
}

// overlap reports whether two proposals have a changed file in common.
func overlap(a, b archive.ProposalRecord) bool {
	return slices.ContainsFunc(a.Files, func(f archive.FileChange) bool { return slices.Contains(paths(b), f.Path) })
}

// configGates returns the gates for a config.
func (f *fileSubject) configGates(ctx context.Context, repo *patch.Repository) ([]gates.Gate, error) {
	v, err := f.store.Variant(ctx, f.agent.ID, f.p.Variant)
	if err != nil {
		return nil, fmt.Errorf("reading the variant: %w", err)
	}
	texts, shown := map[string]string{}, map[string][]agent.Demonstration{}
	for _, q := range f.agent.Space.Params {
		if q.Kind != agent.Text {
			continue
		}
		text := v.Config.String(q.Name)
		if list, ok := agent.ParseDemonstrations(text); ok && len(list) > 0 && q.Use == agent.Demonstrations {
			shown[q.Name] = list
		} else {
			texts[q.Name] = text
		}
	}
	return gates.Config(gates.ConfigChange{
		Want: v.Config, Measured: f.p.Base, Now: f.agent.Base, Texts: texts, Demonstrations: shown,
		Tasks: f.tasks(), Answers: f.answers(),
		Reload:   func() (agent.Config, error) { return f.reload(files(f.p)) },
		Rehearse: func() error { return f.rehearse(repo, f.rehearseConfig) },
	}), nil
}

// answers returns the reference answers to the agent's tasks.
func (f *fileSubject) answers() *bench.AnswerIndex { return bench.IndexAnswers(f.tasks()) }

// tasks returns the agent's tasks.
func (f *fileSubject) tasks() []bench.Task {
	var tasks []bench.Task
	for _, suite := range f.agent.Suites {
		tasks = append(tasks, suite.Tasks...)
	}
	return tasks
}

// rehearse applies the proposal's change to the last commit and reverts it. If there is no
// commit, or if the workspace differs from it, rehearse calls onFiles instead.
func (f *fileSubject) rehearse(repo *patch.Repository, onFiles func() error) error {
	if repo != nil {
		_, head, err := repo.Head()
		if err != nil {
			return err
		}
		err = repo.Rehearse(head, files(f.p))
		var conflict *patch.ConflictError
		if err == nil || !errors.As(err, &conflict) {
			return err
		}
	}
	return onFiles()
}

// reload writes the champion's files, with a change applied, to a scratch folder and reads
// them back.
func (f *fileSubject) reload(change []patch.File) (config agent.Config, err error) {
	err = scratch(func(folder string) error {
		var lay []patch.File
		for path := range f.agent.Files(f.agent.Champion) {
			data, err := f.onDisk(path)
			if err != nil {
				return err
			}
			lay = append(lay, patch.File{Path: path, New: data})
		}
		if err := writeBelow(folder, append(lay, change...)); err != nil {
			return err
		}
		config, err = f.agent.Load(folder)
		return err
	})
	return config, err
}

// rehearseConfig applies the change to a copy of the champion's files and then reverts it.
func (f *fileSubject) rehearseConfig() error {
	back, err := f.reload(patch.Reverse(files(f.p)))
	if err != nil {
		return err
	}
	if !back.Equal(f.agent.Champion) {
		return errors.New("rolling back the proposal does not restore the champion")
	}
	return nil
}
