package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/patch"
	"evolve/runtime/agent"
)

// entryForget is the kind of the ledger entry that records that memories were removed from
// a proposal.
const entryForget = "proposal.forget"

// Forgot is the result of removing the memories of a conversation from proposals.
type Forgot struct {
	// Emptied lists the proposals that lost memories.
	Emptied []string
	// Proposal is the new proposal with the remaining memories of the proposals that
	// awaited a decision; nil if there is none.
	Proposal *archive.ProposalRecord
	// Adopted lists the proposals that contain memories of the conversation and that a
	// person has approved. They are not changed, and commits may still contain the
	// memories.
	Adopted []string
	// Refs lists the refs of proposals that could not be removed.
	Refs []string
}

// ForgetMemories removes the memories of a conversation from an agent's memory proposals,
// and removes these proposals' refs. Proposals that await a decision are superseded by
// one new proposal with their remaining memories. A proposal that was approved is not
// changed.
func (rev *Reviewer) ForgetMemories(ctx context.Context, agentID, name string, clean func(string) string) (Forgot, error) {
	return inSession(ctx, rev, func(s *session) (Forgot, error) { return s.forgetMemories(ctx, agentID, name, clean) })
}

func (s *session) forgetMemories(ctx context.Context, agentID, name string, clean func(string) string) (out Forgot, err error) {
	turns, err := s.turnsOf(ctx, agentID, name)
	if err != nil {
		return out, err
	}
	all, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool { return p.Agent == agentID && p.AddsMemories() })
	if err != nil {
		return out, err
	}
	run, rest := "", []agent.Memory(nil)
	for _, p := range all {
		added, _ := Remembered(p)
		kept := slices.DeleteFunc(slices.Clone(added), func(m agent.Memory) bool { return LearntIn(m, name, turns, clean) })
		switch {
		case len(kept) == len(added):
			continue
		case p.State == archive.Approved || p.State == archive.Adopted || p.State == archive.RolledBack:
			out.Adopted = append(out.Adopted, p.ID)
			continue
		case Undecided(p.State):
			run, rest = p.Run, append(rest, kept...)
		}
		if err := s.emptyMemories(ctx, p, kept, &out); err != nil {
			return out, err
		}
	}
	if len(rest) == 0 {
		return out, nil
	}
	out.Proposal, err = s.remainder(ctx, agentID, run, rest)
	return out, err
}

// remainder makes a proposal with the memories that remain of the proposals that awaited a
// decision. It returns nil if there is nothing new to propose.
func (s *session) remainder(ctx context.Context, agentID, run string, rest []agent.Memory) (*archive.ProposalRecord, error) {
	a, err := s.remembering(agentID)
	if err != nil {
		return nil, err
	}
	decided, _, _, err := s.memoriesProposed(ctx, agentID)
	if err != nil {
		return nil, err
	}
	chosen := s.choose(a, decided, rest, &Learned{})
	if len(chosen) == 0 {
		return nil, nil
	}
	p, err := s.additions(a, run, chosen)
	if err == nil {
		p, err = s.fileProposal(ctx, p)
	}
	return &p, err
}

// emptyMemories removes all memories except kept from a stored proposal, and removes its
// ref. A new ledger entry binds the remaining content.
func (s *session) emptyMemories(ctx context.Context, p archive.ProposalRecord, kept []agent.Memory, out *Forgot) error {
	data, err := keepMemories(&p, kept)
	if err != nil {
		return err
	}
	if Undecided(p.State) {
		p.State = archive.Superseded
	}
	if p.Ref != "" {
		repo, err := s.subjectOf(p).repository()
		if err == nil && repo != nil {
			err = deleteOwn(ctx, repo, p)
		}
		var refused *RefusedError
		if errors.Is(err, patch.ErrNoGit) || errors.As(err, &refused) {
			out.Refs = append(out.Refs, p.Ref)
		} else if err != nil {
			return err
		}
	}
	p.Ref, p.Commit = "", ""
	out.Emptied = append(out.Emptied, p.ID)
	return s.record(ctx, p, entryForget, robot, data)
}

// deleteOwn removes the ref of a proposal, unless the ref points to another commit: under
// older versions of evolve, another workspace that uses the same repository could move it.
func deleteOwn(ctx context.Context, repo *patch.Repository, p archive.ProposalRecord) error {
	if now, err := repo.Ref(p.Ref); err != nil || now != p.Commit {
		return err
	}
	return repo.DeleteRef(ctx, p.Ref)
}

// keepMemories removes from the record of a proposal all memories that are not in kept,
// and the verdicts of all gates. It returns the data for the ledger entry.
func keepMemories(p *archive.ProposalRecord, kept []agent.Memory) (map[string]int, error) {
	added, _ := Remembered(*p)
	f := p.Files[0]
	now, err := bench.AppendMemories(f.Old, kept)
	if err != nil {
		return nil, err
	}
	p.Files = []archive.FileChange{{Path: f.Path, Old: f.Old, New: now}}
	p.Evidence = filesDigest(map[string][]byte{f.Path: now})
	p.Title, p.Gates = number(len(kept), "memory", "memories")+" for "+p.Agent, nil
	p.Rationale = fmt.Sprintf("%s removed with a conversation that a person deleted", number(len(added)-len(kept), "memory", "memories"))
	return map[string]int{"removed": len(added) - len(kept), "kept": len(kept)}, nil
}

// turnsOf returns the ids of the stored turns in a conversation.
func (s *session) turnsOf(ctx context.Context, agentID, name string) (map[string]bool, error) {
	out := map[string]bool{}
	for t, err := range s.store.Turns(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		if t.Agent == agentID && t.Session == name {
			out[t.ID] = true
		}
	}
	return out, nil
}
