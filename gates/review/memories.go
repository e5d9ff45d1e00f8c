package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/scrub"
	conversation "evolve/runtime/session"
	"evolve/runtime/text"
)

// sharedMemories is the path of the file with the memories that all agents share.
const sharedMemories = "agents/memories.jsonl"

func memoriesOf(agentID string) string { return path.Join("agents", agentID, "memories.jsonl") }

// memoryFiles returns the paths of the memory files that an agent reads: its own file and
// the file that all agents share.
func memoryFiles(agentID string) []string { return []string{memoriesOf(agentID), sharedMemories} }

// Learned is the result of collecting the memories from the turns of an agent.
type Learned struct {
	// Proposal is the proposal that awaits a decision; nil if there was nothing to propose.
	Proposal *archive.ProposalRecord
	// New reports whether this call made the proposal.
	New bool
	// Left counts the new memories that were not proposed because of the limit on a
	// proposal.
	Left int
	// Secret and Copied count the memories that are not proposed because they look like a
	// credential or copy a reference answer.
	Secret, Copied int
}

// ProposeMemories proposes the memories from an agent's stored turns and sessions: facts
// from distillations, facts that users corrected or asked the agent to remember, and
// facts that the agent added. It leaves out the agent's existing memories, retracted or
// not, and memories that were already proposed and decided on. Memories that wait in an
// earlier proposal are carried over from it, so they outlive their session. clean removes
// credentials.
func (rev *Reviewer) ProposeMemories(ctx context.Context, agentID, run string, clean func(string) string) (Learned, error) {
	return inSession(ctx, rev, func(s *session) (Learned, error) { return s.proposeMemories(ctx, agentID, run, clean) })
}

func (s *session) proposeMemories(ctx context.Context, agentID, run string, clean func(string) string) (out Learned, err error) {
	a, err := s.remembering(agentID)
	if err != nil {
		return out, err
	}
	decided, waiting, open, err := s.memoriesProposed(ctx, a.ID)
	if err != nil {
		return out, err
	}
	learnt, err := s.learnt(ctx, a, clean)
	if err != nil {
		return out, err
	}
	chosen := s.choose(a, decided, append(waiting, learnt...), &out)
	if len(chosen) == 0 {
		return out, nil
	}
	p, err := s.additions(a, run, chosen)
	if err != nil {
		return out, err
	}
	if open != nil && open.Evidence == p.Evidence && maps.Equal(open.Base, p.Base) {
		if open.State == archive.GateFailed { // an input that the gates lacked may be available now
			open.State = archive.Drafted
			*open, err = s.fileProposal(ctx, *open)
		}
		out.Proposal = open
		return out, err
	}
	p, err = s.fileProposal(ctx, p)
	out.Proposal, out.New = &p, true
	return out, err
}

// remembering returns the agent with an id, and refuses an agent that does not read
// memories.
func (s *session) remembering(id string) (*Agent, error) {
	a, err := s.proposer(id)
	if err == nil && !a.Builtin {
		err = Refuse("your own program or service keeps its own memories", "the agent %s is not built in: it reads no memories", a.ID)
	}
	return a, err
}

// choose selects the memories to propose from candidates, in their order, each once and
// at most [gates.MaxLearned]. It skips memories that the agent has or that were decided
// on. It records in out how many memories look like a credential, copy a reference
// answer, or exceed the limit.
func (s *session) choose(a *Agent, decided, candidates []agent.Memory, out *Learned) []agent.Memory {
	lex := memory.NewLexicon()
	known, refused := memory.NewKnown(lex, a.Memories), memory.NewKnown(lex, decided)
	answers := (&fileSubject{agent: a}).answers()
	var chosen []agent.Memory
	seen := memory.NewKnown(lex, nil)
	for _, m := range candidates {
		if _, has := seen.Has(m); has {
			continue
		}
		if _, has := known.Has(m); has {
			continue
		}
		if _, has := refused.Has(m); has {
			continue
		}
		switch {
		case strings.Contains(m.Text, scrub.Mark) || scrub.Line([]byte(m.Text)) > 0 || scrub.Line([]byte(m.Source)) > 0:
			out.Secret++
		case len(answers.Find(m.Text)) > 0:
			out.Copied++
		case len(chosen) == gates.MaxLearned:
			out.Left++
		default:
			chosen = append(chosen, m)
			seen = memory.NewKnown(lex, chosen)
		}
	}
	return chosen
}

// additions creates the record of a proposal that adds memories.
func (s *session) additions(a *Agent, run string, list []agent.Memory) (archive.ProposalRecord, error) {
	name := memoriesOf(a.ID)
	old, err := s.onDisk(name)
	if err != nil {
		return archive.ProposalRecord{}, fmt.Errorf("reading %s: %w", name, err)
	}
	now, err := bench.AppendMemories(old, list)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	said := 0
	for _, m := range list {
		if wasSaid(m) {
			said++
		}
	}
	return s.memoryRecord(a, archive.ProposalRecord{
		Run: run, Title: number(len(list), "memory", "memories") + " for " + a.ID,
		Rationale: fmt.Sprintf("learnt in live turns: %d from what was said in conversations, %d added by the agent; each names its session and turn", said, len(list)-said),
	}, name, old, now)
}

func number(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// memoryRecord completes the record of a proposal that changes a memory file.
func (s *session) memoryRecord(a *Agent, p archive.ProposalRecord, name string, old, now []byte) (archive.ProposalRecord, error) {
	p.Kind, p.State, p.Agent, p.Created = archive.KindMemory, archive.Drafted, a.ID, s.Now()
	p.Changes, p.Evidence = []archive.Change{}, filesDigest(map[string][]byte{name: now})
	p.Files = []archive.FileChange{{Path: name, Old: old, New: now}}
	var err error
	p.Base, err = s.memoryBase(a)
	return p, err
}

// memoryBase returns the hashes of the memory files that an agent reads and of the agent's
// agent.yaml.
func (s *session) memoryBase(a *Agent) (map[string]string, error) {
	base := map[string]string{}
	for _, name := range append(memoryFiles(a.ID), path.Join("agents", a.ID, "agent.yaml")) {
		data, err := s.onDisk(name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		base[name] = none
		if data != nil {
			sum := sha256.Sum256(data)
			base[name] = hex.EncodeToString(sum[:])
		}
	}
	return base, nil
}

// baseOf returns the hashes of the files on which a proposal of kind tool or memory
// depends.
func (f *fileSubject) baseOf(a *Agent, p archive.ProposalRecord) (map[string]string, error) {
	if p.Kind == archive.KindMemory {
		return f.memoryBase(a)
	}
	return f.writtenBase(a, p)
}

// Remembered returns the memories that a proposal adds, and the memories whose mark it
// changes.
func Remembered(p archive.ProposalRecord) (added, marked []agent.Memory) {
	if p.Kind != archive.KindMemory {
		return nil, nil
	}
	ignore := func(int, int, string) {}
	for _, f := range p.Files {
		was := map[string]string{}
		for _, l := range bench.ReadMemories(f.Old, ignore) {
			was[l.ID] = l.Retracted
		}
		for _, l := range bench.ReadMemories(f.New, ignore) {
			if before, there := was[l.ID]; !there {
				added = append(added, l.Memory)
			} else if before != l.Retracted {
				marked = append(marked, l.Memory)
			}
		}
	}
	return added, marked
}

// memoriesProposed returns the memories that earlier proposals for an agent added: those on
// which a person has decided, and those that still wait, including those in superseded
// proposals. It also returns the latest proposal that awaits a decision.
func (s *session) memoriesProposed(ctx context.Context, agentID string) (decided, waiting []agent.Memory, open *archive.ProposalRecord, err error) {
	all, err := proposals(ctx, s.store, func(p archive.ProposalRecord) bool {
		return p.Kind == archive.KindMemory && p.Agent == agentID && p.AddsMemories()
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, p := range all {
		added, _ := Remembered(p)
		switch {
		case p.Imported != "" && (Undecided(p.State) || p.State == archive.Superseded):
		case Undecided(p.State):
			waiting, open = append(waiting, added...), &p
		case p.State == archive.Superseded:
			waiting = append(waiting, added...)
		default:
			decided = append(decided, added...)
		}
	}
	return decided, waiting, open, nil
}

// memoryGates returns the gates for a change to memories.
func (f *fileSubject) memoryGates(repo *patch.Repository) []gates.Gate {
	now, err := f.memoryBase(f.agent)
	if err != nil {
		now = map[string]string{"the files: " + err.Error(): none}
	}
	c := gates.MemoryChange{
		Measured: f.p.Base, Now: now, Answers: f.answers(),
		Rehearse: func() error { return f.rehearse(repo, f.rehearseWritten) },
	}
	for _, file := range f.p.Files {
		c.Old, c.New = file.Old, file.New
	}
	inFile := map[string]bool{}
	for _, l := range bench.ReadMemories(c.Old, func(int, int, string) {}) {
		inFile[l.ID] = true
	}
	for _, m := range f.agent.Memories {
		if !inFile[m.ID] {
			c.Others = append(c.Others, m)
		}
	}
	return gates.Memories(c)
}

// memoriesLoad fails if a memory file would not load after a change.
func memoriesLoad(change []patch.File) (err error) {
	for _, c := range change {
		bench.ReadMemories(c.New, func(line, _ int, text string) {
			if err == nil {
				err = fmt.Errorf("%s, line %d: %s", c.Path, line, text)
			}
		})
	}
	return err
}

// Mark drafts a proposal that retracts a memory of an agent for the given reason or, if
// there is no reason, restores the memory. It records nothing; [Reviewer.ProposeMark] does.
func (rev *Reviewer) Mark(agentID, id, reason string) (archive.ProposalRecord, error) {
	s := &session{Reviewer: rev}
	a, err := s.remembering(agentID)
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	for _, name := range memoryFiles(a.ID) {
		old, err := s.onDisk(name)
		if err != nil {
			return archive.ProposalRecord{}, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, l := range bench.ReadMemories(old, func(int, int, string) {}) {
			if l.ID == id {
				return s.mark(a, name, old, l, reason)
			}
		}
	}
	var ids []string
	for _, m := range a.Memories {
		ids = append(ids, m.ID)
	}
	hint := "`evolve memory search QUERY --agent " + a.ID + "` prints the ids of its memories"
	if near := text.Nearest(id, ids); near != "" {
		hint = "did you mean " + text.Visible(near) + "? " + hint
	}
	return archive.ProposalRecord{}, Refuse(hint, "%s has no memory %s", a.ID, text.Quote(id))
}

func (s *session) mark(a *Agent, name string, old []byte, l bench.MemoryLine, reason string) (archive.ProposalRecord, error) {
	whose := "of " + a.ID
	if name == sharedMemories {
		whose = "that all agents share"
	}
	id := text.OneLine(text.Clip(l.ID, 80, text.Ellipsis))
	if reason == "" {
		if l.Retracted == "" {
			return archive.ProposalRecord{}, Refuse("nothing needs to be done", "the memory %s %s is not retracted", id, whose)
		}
		now, err := bench.RestoreMemory(old, l)
		if err != nil {
			return archive.ProposalRecord{}, err
		}
		return s.memoryRecord(a, archive.ProposalRecord{Title: "memory " + id + " " + whose + " holds again", Rationale: "it was retracted: " + text.Clip(text.OneLine(l.Retracted), maxRequestReason, text.Ellipsis)}, name, old, now)
	}
	if l.Retracted != "" {
		return archive.ProposalRecord{}, Refuse("`evolve memory restore` undoes the retraction", "the memory %s %s is already retracted: %s", id, whose, text.OneLine(text.Clip(l.Retracted, maxRequestReason, text.Ellipsis)))
	}
	now, err := bench.RetractMemory(old, l, reason, s.Now().UTC().Truncate(time.Second))
	if err != nil {
		return archive.ProposalRecord{}, err
	}
	return s.memoryRecord(a, archive.ProposalRecord{Title: "retraction of memory " + id + " " + whose, Rationale: text.Clip(text.OneLine(reason), maxRequestReason, text.Ellipsis)}, name, old, now)
}

// ProposeMark files a proposal drafted by [Reviewer.Mark] and runs its gates.
func (rev *Reviewer) ProposeMark(ctx context.Context, p archive.ProposalRecord) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.fileProposal(ctx, p) })
}

// byWorth orders memories: memories from users come before those that the agent added, and
// then earlier memories before later ones.
func byWorth(a, b agent.Memory) int {
	added := func(m agent.Memory) int {
		if wasSaid(m) {
			return 0
		}
		return 1
	}
	return cmp.Or(added(a)-added(b), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID))
}

// wasSaid reports whether a memory comes from a message in a conversation.
func wasSaid(m agent.Memory) bool { return strings.HasPrefix(m.Source, conversation.Distilled) }

// sorted returns the memories in a map, sorted by worth.
func sorted(byID map[string]agent.Memory) []agent.Memory {
	return slices.SortedFunc(maps.Values(byID), byWorth)
}
