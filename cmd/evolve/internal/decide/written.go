package decide

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates"
	"evolve/patch"
	"evolve/runtime/authored"
	"evolve/runtime/mcp"
	"evolve/runtime/skill"
	"evolve/runtime/tool"
)

// maxAwaiting bounds the undecided proposals of kind tool of one agent.
const maxAwaiting = 20

// none is the hash of a file that does not exist.
const none = "none"

func toolsDir(agentID string) string  { return path.Join("agents", agentID, "tools") }
func skillsDir(agentID string) string { return path.Join("agents", agentID, "skills") }

// ProposeTool makes the proposal of a tool that an agent wrote; why becomes its
// rationale, shortened to maxRequestReason. The tool becomes callable when a person
// approves it. If the same tool already awaits a decision or was rejected, that proposal
// is returned.
func (d *Desk) ProposeTool(ctx context.Context, a *workspace.Agent, def authored.Definition, why string) (archive.ProposalRecord, error) {
	star, manifest := def.Encode()
	base := path.Join(toolsDir(a.ID), def.Name)
	return d.proposeWritten(ctx, a, archive.ProposalRecord{Title: "tool " + def.Name + " for " + a.ID, Rationale: why},
		map[string][]byte{base + ".star": star, base + ".json": manifest})
}

// ProposeSkill makes the proposal of a skill that a run drafted. It becomes part of the
// prompt when a person approves it.
func (d *Desk) ProposeSkill(ctx context.Context, a *workspace.Agent, run string, c skill.Candidate) (archive.ProposalRecord, error) {
	why := fmt.Sprintf("drafted from transcripts of run %s: %d tasks of %d clusters were solved in this way, %d were not",
		run, c.Solved, c.Clusters, c.Failed)
	return d.proposeWritten(ctx, a, archive.ProposalRecord{Run: run, Title: "skill " + c.Definition.Name + " for " + a.ID, Rationale: why},
		map[string][]byte{path.Join(skillsDir(a.ID), c.Definition.Name+".md"): c.Definition.Encode()})
}

// proposeWritten completes and files the record of a proposal that writes these files.
func (d *Desk) proposeWritten(ctx context.Context, a *workspace.Agent, p archive.ProposalRecord, want map[string][]byte) (archive.ProposalRecord, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return p, Refuse("a program of the operator's own has tools of its own", "the agent %s is not built in: it would not read %s", a.ID, p.Title)
	}
	why := []rune(oneLine(p.Rationale))
	p.Kind, p.State, p.Agent, p.Created = archive.KindTool, archive.Drafted, a.ID, d.Now()
	p.Rationale, p.Changes, p.Evidence = string(why[:min(len(why), maxRequestReason)]), []archive.Change{}, digest(want)
	var err error
	if p.Files, err = d.changed(want); err != nil {
		return p, err
	}
	if len(p.Files) == 0 {
		return p, Refuse("nothing needs to be decided", "%s is in use already, word for word", p.Title)
	}
	if p.Base, err = d.writtenBase(a, p); err != nil {
		return p, err
	}
	earlier, found, err := d.earlier(ctx, func(other archive.ProposalRecord) bool {
		return other.Imported == "" && other.Kind == p.Kind && other.Agent == p.Agent && other.Evidence == p.Evidence &&
			(awaits(other.State) && maps.Equal(other.Base, p.Base) || other.State == archive.Rejected)
	})
	if err != nil {
		return p, err
	}
	if found {
		if earlier.State == archive.GateFailed { // what the gates need may be available now
			earlier.State = archive.Drafted
		}
		return d.file(ctx, a, earlier)
	}
	awaiting := 0
	for other, err := range d.Archive.Proposals(ctx) {
		if err != nil {
			return p, fmt.Errorf("reading the proposals: %w", err)
		}
		if other.Kind == p.Kind && other.Agent == p.Agent && awaits(other.State) {
			awaiting++
		}
	}
	if awaiting >= maxAwaiting {
		return p, Refuse("decide on some of them: `evolve review`", "%d tools and skills of %s await a decision already", awaiting, a.ID)
	}
	return d.file(ctx, a, p)
}

// digest returns the digest of the names and contents of files.
func digest(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(h, "%d %s %d %s", len(name), name, len(files[name]), files[name])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// writtenBase returns the hashes of what a tool or a skill depends on: the files that it
// replaces, the agent's agent.yaml and, for a skill, the suites. It leaves out the rest
// of the agent's folder, so that two of them, or one and a config, can be approved one
// after the other.
func (d *Desk) writtenBase(a *workspace.Agent, p archive.ProposalRecord) (map[string]string, error) {
	base := map[string]string{}
	kind, name := Written(p)
	files := []string{path.Join("agents", a.ID, "agent.yaml")}
	if kind == "skill" {
		files = append(files, path.Join(skillsDir(a.ID), name+".md"))
	} else {
		files = append(files, path.Join(toolsDir(a.ID), name+".star"), path.Join(toolsDir(a.ID), name+".json"))
	}
	for _, name := range files {
		data, err := d.onDisk(name)
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
		for input, hash := range workspace.BaseOf(a, d.Workspace.Suites) {
			if strings.HasPrefix(input, "suites/") {
				base[input] = hash
			}
		}
	}
	return base, nil
}

// Written returns "tool" or "skill", and its name, for a proposal of kind tool. Both are
// empty for any other proposal.
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

// side returns the content of one file on one side of a proposal, or its content on disk
// if the proposal does not change it.
func (d *Desk) side(p archive.ProposalRecord, name string, of func(archive.FileChange) []byte) ([]byte, error) {
	for _, f := range p.Files {
		if f.Path == name {
			return of(f), nil
		}
	}
	return d.onDisk(name)
}

// toolOf reads the tool on one side of a proposal.
func (d *Desk) toolOf(p archive.ProposalRecord, of func(archive.FileChange) []byte) (authored.Definition, error) {
	_, name := Written(p)
	base := path.Join(toolsDir(p.Agent), name)
	star, err := d.side(p, base+".star", of)
	if err != nil {
		return authored.Definition{}, err
	}
	manifest, err := d.side(p, base+".json", of)
	if err != nil {
		return authored.Definition{}, err
	}
	def, err := authored.Parse(star, manifest)
	if err == nil && def.Name != name {
		return def, fmt.Errorf("the tool calls itself %s and lies in %s.star", def.Name, name)
	}
	return def, err
}

// skillOf reads the skill on one side of a proposal.
func (d *Desk) skillOf(p archive.ProposalRecord, of func(archive.FileChange) []byte) (skill.Definition, error) {
	_, name := Written(p)
	data, err := d.side(p, path.Join(skillsDir(p.Agent), name+".md"), of)
	if err != nil {
		return skill.Definition{}, err
	}
	def, err := skill.Parse(data)
	if err == nil && def.Name != name {
		return def, fmt.Errorf("the skill calls itself %s and lies in %s.md", def.Name, name)
	}
	return def, err
}

// writtenGates returns the gates of a tool or a skill.
func (d *Desk) writtenGates(a *workspace.Agent, p archive.ProposalRecord, repo *patch.Repository) []gates.Gate {
	kind, _ := Written(p)
	now, err := d.writtenBase(a, p)
	if err != nil {
		now = map[string]string{"the files: " + err.Error(): none}
	}
	change := gates.WrittenChange{
		Measured: p.Base, Now: now, Answers: d.answers(a), Parts: len(a.ToolFiles),
		Rehearse: func() error { return rehearsal(repo, p, func() error { return d.rehearseWritten(p) }) },
	}
	if kind == "skill" {
		change.Parts = len(a.SkillFiles)
	}
	for _, f := range p.Files {
		change.Bytes += len(f.New)
		if f.Old == nil {
			change.Parts++
		}
	}
	if kind == "skill" {
		return gates.Skill(gates.SkillChange{
			WrittenChange: change, Reload: func() (skill.Definition, error) { return d.skillOf(p, after) },
			Again: func(ctx context.Context) ([]skill.Candidate, error) { return d.draftAgain(ctx, a, p) },
		})
	}
	return gates.Tool(gates.ToolChange{
		WrittenChange: change, Reload: func() (authored.Definition, error) { return d.toolOf(p, after) },
		Registered: d.registered(), Check: d.Check,
	})
}

// registered returns the names of all tools that no agent wrote, including those of every
// server, because any agent may get them later.
func (d *Desk) registered() []string {
	var names []string
	for _, t := range slices.Concat(tool.Builtin(), tool.Further()) {
		names = append(names, t.Spec().Name)
	}
	for server, m := range d.Workspace.Settings.MCP {
		for name := range m.Tools {
			names = append(names, mcp.ToolName(server, name))
		}
	}
	return names
}

// rehearseWritten applies the change to a scratch copy of the files and reverts it. Each
// side must then be on disk as it should be, and the old side must load.
func (d *Desk) rehearseWritten(p archive.ProposalRecord) (err error) {
	scratch, err := os.MkdirTemp("", "evolve-rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	there := &Desk{Workspace: &workspace.Workspace{Root: scratch}}
	for _, side := range []func(archive.FileChange) []byte{before, after, before} {
		for _, f := range p.Files {
			if err := put(root, f.Path, side(f)); err != nil {
				return err
			}
		}
		left, err := there.differ(p.Files, side)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return fmt.Errorf("not as they should be: %s", strings.Join(left, ", "))
		}
	}
	return d.loadsOrIsGone(p, before)
}

// put writes a file below root, or removes it if data is nil. name has slashes.
func put(root *os.Root, name string, data []byte) error {
	name = filepath.FromSlash(name)
	if data == nil {
		if err := root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o600)
}

// loadsOrIsGone fails when one side of a proposal has files that do not load.
func (d *Desk) loadsOrIsGone(p archive.ProposalRecord, of func(archive.FileChange) []byte) error {
	kind, _ := Written(p)
	gone := true
	for _, f := range p.Files {
		gone = gone && of(f) == nil
	}
	var err error
	switch {
	case gone:
	case kind == "skill":
		_, err = d.skillOf(p, of)
	default:
		_, err = d.toolOf(p, of)
	}
	return err
}

// restoresWritten refuses a rollback after which the workspace could not be loaded.
func (d *Desk) restoresWritten(a *workspace.Agent, p archive.ProposalRecord) error {
	kind, name := Written(p)
	if err := d.loadsOrIsGone(p, before); err != nil {
		return Refuse("restore the files by hand from the commit before "+p.AdoptedCommit, "the files before %s do not load: %s", p.ID, oneLine(err.Error()))
	}
	if kind != "tool" || slices.ContainsFunc(p.Files, func(f archive.FileChange) bool { return f.Old != nil }) {
		return nil
	}
	if slices.Contains(a.Tools, name) {
		return Refuse("take it out of `tools` there first", "agents/%s/agent.yaml names the tool %s", a.ID, name)
	}
	if selection, _ := a.Champion.List("tools.selection"); slices.Contains(selection, name) {
		return Refuse("roll back the proposal that selected it first, or edit the file", "tools.selection in agents/%s/config.yaml has the tool %s", a.ID, name)
	}
	if _, named := d.Workspace.Settings.Policies.Tools[name]; named {
		return Refuse("take it out of `policies` there first", "evolve.yaml has a policy for the tool %s", name)
	}
	return nil
}
