package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/authored"
	"evolve/runtime/skill"
	"evolve/runtime/text"
)

// maxAwaiting is the maximum number of undecided proposals of kind tool for one agent.
const maxAwaiting = 20

// none is used in place of a hash if the file does not exist.
const none = "none"

func toolsDir(agentID string) string  { return path.Join("agents", agentID, "tools") }
func skillsDir(agentID string) string { return path.Join("agents", agentID, "skills") }

func skillFile(agentID, name string) string { return path.Join(skillsDir(agentID), name+".md") }

// toolFiles returns the paths of a tool's source file and of its manifest.
func toolFiles(agentID, name string) []string {
	base := path.Join(toolsDir(agentID), name)
	return []string{base + ".star", base + ".json"}
}

// ProposeTool makes the proposal for a tool that an agent wrote. why, shortened to
// maxRequestReason, becomes its rationale. The tool becomes callable only when a person
// approves it. If there is already a proposal for the same tool that awaits a decision or
// was rejected, ProposeTool returns that proposal.
func (rev *Reviewer) ProposeTool(ctx context.Context, agentID string, def authored.Definition, why string) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) {
		return s.proposeTool(ctx, agentID, "", def, why)
	})
}

// ProposeWrittenTool is like [Reviewer.ProposeTool], but for a tool that was written during
// a run.
func (rev *Reviewer) ProposeWrittenTool(ctx context.Context, agentID, run string, def authored.Definition, why string) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) {
		return s.proposeTool(ctx, agentID, run, def, why)
	})
}

func (s *session) proposeTool(ctx context.Context, agentID, run string, def authored.Definition, why string) (archive.ProposalRecord, error) {
	star, manifest := def.Encode()
	base := path.Join(toolsDir(agentID), def.Name)
	return s.proposeWritten(ctx, agentID, archive.ProposalRecord{Run: run, Title: "tool " + def.Name + " for " + agentID, Rationale: why},
		map[string][]byte{base + ".star": star, base + ".json": manifest})
}

// ProposeToolDeletion makes the proposal to delete a tool that the agent wrote.
func (rev *Reviewer) ProposeToolDeletion(ctx context.Context, agentID, name, why string) (archive.ProposalRecord, error) {
	base := path.Join(toolsDir(agentID), name)
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) {
		return s.proposeWritten(ctx, agentID, archive.ProposalRecord{Title: "deletion of tool " + name + " of " + agentID, Rationale: why},
			map[string][]byte{base + ".star": nil, base + ".json": nil})
	})
}

// ProposeSkill makes the proposal for a skill that was drafted from a run. The skill
// becomes part of the prompt only when a person approves it.
func (rev *Reviewer) ProposeSkill(ctx context.Context, agentID, run string, c skill.Candidate) (archive.ProposalRecord, error) {
	return inSession(ctx, rev, func(s *session) (archive.ProposalRecord, error) { return s.proposeSkill(ctx, agentID, run, c) })
}

func (s *session) proposeSkill(ctx context.Context, agentID, run string, c skill.Candidate) (archive.ProposalRecord, error) {
	why := fmt.Sprintf("drafted from transcripts of run %s: %d tasks in %d clusters were solved in this way, %d were not",
		run, c.Solved, c.Clusters, c.Failed)
	return s.proposeWritten(ctx, agentID, archive.ProposalRecord{Run: run, Title: "skill " + c.Definition.Name + " for " + agentID, Rationale: why},
		map[string][]byte{skillFile(agentID, c.Definition.Name): c.Definition.Encode()})
}

// proposeWritten completes and files the record of a proposal that writes the files in
// want.
func (s *session) proposeWritten(ctx context.Context, agentID string, p archive.ProposalRecord, want map[string][]byte) (archive.ProposalRecord, error) {
	a, err := s.proposer(agentID)
	if err != nil {
		return p, err
	}
	if !a.Builtin {
		return p, Refuse("define tools and skills in your own program instead", "the agent %s is not built in: it would not read %s", a.ID, p.Title)
	}
	why := []rune(text.OneLine(p.Rationale))
	p.Kind, p.State, p.Agent, p.Created = archive.KindTool, archive.Drafted, a.ID, s.Now()
	p.Rationale, p.Changes, p.Evidence = string(why[:min(len(why), maxRequestReason)]), []archive.Change{}, filesDigest(want)
	if p.Files, err = s.changed(want); err != nil {
		return p, err
	}
	if len(p.Files) == 0 {
		return p, Refuse("nothing needs to be decided", "%s is already in use with the same text", p.Title)
	}
	if deletes(p) { // the deletion of another version of the tool is another proposal
		p.Evidence = filesDigest(olds(p))
	}
	if p.Base, err = s.writtenBase(a, p); err != nil {
		return p, err
	}
	earlier, err := proposals(ctx, s.store, func(other archive.ProposalRecord) bool {
		return other.Imported == "" && other.Kind == p.Kind && other.Agent == p.Agent && other.Evidence == p.Evidence &&
			(Undecided(other.State) && maps.Equal(other.Base, p.Base) || other.State == archive.Rejected)
	})
	if err != nil {
		return p, err
	}
	if len(earlier) > 0 {
		if earlier[0].State == archive.GateFailed { // an input that the gates lacked may be available now
			earlier[0].State = archive.Drafted
		}
		return s.fileProposal(ctx, earlier[0])
	}
	awaiting, err := proposals(ctx, s.store, func(other archive.ProposalRecord) bool {
		return other.Kind == p.Kind && other.Agent == p.Agent && Undecided(other.State)
	})
	if err != nil {
		return p, err
	}
	if len(awaiting) >= maxAwaiting {
		return p, Refuse("decide on some of them: `evolve review`", "%d tools and skills of %s are already waiting for a decision", len(awaiting), a.ID)
	}
	return s.fileProposal(ctx, p)
}

// deletes reports whether a proposal only removes files.
func deletes(p archive.ProposalRecord) bool {
	return len(p.Files) > 0 && !slices.ContainsFunc(p.Files, func(f archive.FileChange) bool { return f.New != nil })
}

// olds returns the old contents of a proposal's files, for the digest of a deletion. The
// keys are not the names of the files, so that the digest differs from that of a proposal
// that writes these contents.
func olds(p archive.ProposalRecord) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range p.Files {
		out["deleted "+f.Path] = f.Old
	}
	return out
}

// filesDigest returns the digest of the names and contents of files.
func filesDigest(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(h, "%d %s %d %s", len(name), name, len(files[name]), files[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// writtenBase returns the hashes of the files on which the proposal for a tool or a skill
// depends: the files that it replaces, the agent's agent.yaml and, for a skill, the suites.
// It leaves out the rest of the agent's folder, so that two tools or skills, or one of them
// and a config, can be approved one after the other.
func (s *session) writtenBase(a *Agent, p archive.ProposalRecord) (map[string]string, error) {
	base := map[string]string{}
	kind, name := Written(p)
	files := []string{path.Join("agents", a.ID, "agent.yaml")}
	if kind == "skill" {
		files = append(files, skillFile(a.ID, name))
	} else {
		files = append(files, toolFiles(a.ID, name)...)
	}
	for _, name := range files {
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
	if kind == "skill" {
		for input, hash := range a.Base {
			if strings.HasPrefix(input, "suites/") {
				base[input] = hash
			}
		}
	}
	return base, nil
}

// Written returns the word "tool" or "skill", and the name of the tool or skill, for a
// proposal of kind tool. Both results are empty for any other proposal.
func Written(p archive.ProposalRecord) (kind, name string) {
	if p.Kind != archive.KindTool {
		return "", ""
	}
	for _, f := range p.Files {
		name := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		switch path.Dir(f.Path) {
		case toolsDir(p.Agent):
			return "tool", name
		case skillsDir(p.Agent):
			return "skill", name
		}
	}
	return "", ""
}

// side returns the content that a file has after a change: its new content, or its content
// on disk if the change does not include it.
func (f *fileSubject) side(name string, change []patch.File) ([]byte, error) {
	for _, c := range change {
		if c.Path == name {
			return c.New, nil
		}
	}
	return f.onDisk(name)
}

// tool reads the tool as it is after a change to its files.
func (f *fileSubject) tool(change []patch.File) (authored.Definition, error) {
	_, name := Written(f.p)
	base := path.Join(toolsDir(f.p.Agent), name)
	star, err := f.side(base+".star", change)
	if err != nil {
		return authored.Definition{}, err
	}
	manifest, err := f.side(base+".json", change)
	if err != nil {
		return authored.Definition{}, err
	}
	def, err := authored.Parse(star, manifest)
	if err == nil && def.Name != name {
		return def, fmt.Errorf("the tool's name is %s, but its file is %s.star", def.Name, name)
	}
	return def, err
}

// skill reads the skill as it is after a change to its file.
func (f *fileSubject) skill(change []patch.File) (skill.Definition, error) {
	_, name := Written(f.p)
	data, err := f.side(skillFile(f.p.Agent, name), change)
	if err != nil {
		return skill.Definition{}, err
	}
	def, err := skill.Parse(data)
	if err == nil && def.Name != name {
		return def, fmt.Errorf("the skill's name is %s, but its file is %s.md", def.Name, name)
	}
	return def, err
}

// writtenGates returns the gates for a tool or a skill.
func (f *fileSubject) writtenGates(repo *patch.Repository) []gates.Gate {
	kind, _ := Written(f.p)
	now, err := f.writtenBase(f.agent, f.p)
	if err != nil {
		now = map[string]string{"the files: " + err.Error(): none}
	}
	change := gates.WrittenChange{
		Measured: f.p.Base, Now: now, Answers: f.answers(), Parts: f.agent.ToolFiles,
		Rehearse: func() error { return f.rehearse(repo, f.rehearseWritten) },
	}
	if kind == "skill" {
		change.Parts = len(f.agent.SkillFiles)
	}
	for _, c := range f.p.Files {
		change.Bytes += len(c.New)
		if c.Old == nil {
			change.Parts++
		}
	}
	if kind == "skill" {
		return gates.Skill(gates.SkillChange{
			WrittenChange: change, Reload: func() (skill.Definition, error) { return f.skill(files(f.p)) },
			Again: func(ctx context.Context) ([]skill.Candidate, error) { return f.draftAgain(ctx) },
		})
	}
	tool := gates.ToolChange{
		WrittenChange: change, Reload: func() (authored.Definition, error) { return f.tool(files(f.p)) },
		Registered: f.Workspace.Tools, Check: f.Check,
	}
	if slices.ContainsFunc(f.p.Files, func(c archive.FileChange) bool { return c.Old != nil }) {
		tool.Before = func() (authored.Definition, error) { return f.tool(patch.Reverse(files(f.p))) }
	}
	if deletes(f.p) {
		return gates.ToolDeletion(tool, f.unreferenced)
	}
	return gates.Tool(tool)
}

// rehearseWritten applies the change to a scratch copy of the files and reverts it. After
// each step, the files on disk must be as expected, and the old files must load.
func (f *fileSubject) rehearseWritten() error {
	change := files(f.p)
	back := patch.Reverse(change)
	err := scratch(func(folder string) error {
		for _, side := range [][]patch.File{back, change, back} {
			if err := writeBelow(folder, side); err != nil {
				return err
			}
			left, err := differing(side, func(path string) ([]byte, error) { return readBelow(folder, path) })
			if err != nil {
				return err
			}
			if len(left) > 0 {
				return fmt.Errorf("the content of these files differs from that in the change: %s", join(left))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.loadsOrIsGone(back)
}

// loadsOrIsGone returns an error if the files that remain after a change do not load.
func (f *fileSubject) loadsOrIsGone(change []patch.File) error {
	kind, _ := Written(f.p)
	var err error
	switch {
	case !slices.ContainsFunc(change, func(c patch.File) bool { return c.New != nil }):
	case f.p.Kind == archive.KindMemory:
		err = memoriesLoad(change)
	case kind == "skill":
		_, err = f.skill(change)
	default:
		_, err = f.tool(change)
	}
	return err
}

// restoresWritten refuses a rollback if the workspace could not be loaded afterwards.
func (f *fileSubject) restoresWritten(ctx context.Context, back []patch.File) error {
	kind, _ := Written(f.p)
	if err := f.loadsOrIsGone(back); err != nil {
		return Refuse("restore the files by hand from the commit before "+f.p.AdoptedCommit, "the files from before the adoption of %s do not load: %s", f.p.ID, text.OneLine(err.Error()))
	}
	if kind != "tool" || slices.ContainsFunc(back, func(c patch.File) bool { return c.New != nil }) {
		return nil
	}
	return f.unreferenced(ctx)
}

// unreferenced refuses to remove a tool that is shared or is named by files in the
// workspace.
func (f *fileSubject) unreferenced(ctx context.Context) error {
	_, name := Written(f.p)
	a := f.agent
	h, err := f.store.ToolHealth(ctx, a.ID, name)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return fmt.Errorf("reading which agents share the tool %s: %w", name, err)
	}
	if len(h.Shared) > 0 {
		return Refuse("run `evolve tools unshare "+name+"` first", "the tool %s is shared with %s", name, strings.Join(h.Shared, ", "))
	}
	if slices.Contains(a.Tools, name) {
		return Refuse("first remove the tool from `tools` in that file", "agents/%s/agent.yaml names the tool %s", a.ID, name)
	}
	if selection, _ := a.Champion.List("tools.selection"); slices.Contains(selection, name) {
		return Refuse("first roll back the proposal that selected it, or edit the file", "tools.selection in agents/%s/config.yaml names the tool %s", a.ID, name)
	}
	if f.Workspace.HasPolicy(name) {
		return Refuse("remove the tool from `policies` in evolve.yaml first", "evolve.yaml has a policy for the tool %s", name)
	}
	return nil
}
