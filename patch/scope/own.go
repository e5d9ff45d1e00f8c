package scope

import (
	"fmt"
	"strings"
)

var (
	// ownFolders are, wherever they stand, what judges patches and agents.
	ownFolders = []string{".evolve", "graders"}
	// ownProgram is, below the root of this program's own source, what judges: a patch
	// of it by its own agents must leave the judge alone.
	ownProgram = []string{
		"gates", "patch", "archive", "bench", "runtime/sandbox", "cmd/evolve/internal/patching", "cmd/evolve/internal/decide", "cmd/evolve/internal/nightly",
	}
	// ownWorkspace is, below a workspace, what the agents are measured by and what says
	// what they may do.
	ownWorkspace = []string{"evolve.yaml", "agents", "suites"}
	// agentFiles instruct the agents that work on the code, the reviewer of a patch
	// among them, or name the people who review it.
	agentFiles = []string{
		"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".mcp.json",
		".cursor", ".claude", ".codex", ".aider*", "codeowners",
	}
)

// The files that tell this program's source and a workspace from other folders.
const (
	programMark   = "cmd/evolve/main.go"
	workspaceMark = "evolve.yaml"
)

// own knows the folders that hold the program or a workspace.
type own struct{ programs, workspaces []string }

// newOwn looks into the base: a patch cannot take a mark away before it is judged.
func newOwn(base Tree) own {
	var o own
	for _, e := range base {
		if dir, ok := below(e.Path, programMark); ok {
			o.programs = append(o.programs, dir)
		}
		if dir, ok := below(e.Path, workspaceMark); ok {
			o.workspaces = append(o.workspaces, dir)
		}
	}
	return o
}

// below gives the folder, in folded form, that a path is a mark of.
func below(path, mark string) (dir string, ok bool) {
	if path == mark {
		return root, true
	}
	dir, ok = strings.CutSuffix(path, "/"+mark)
	if !ok {
		return "", false
	}
	return fold(dir), true
}

// belongs tells whether a change is to what judges it, or to what instructs those who
// do.
func (o own) belongs(c *change) (rule, why string) {
	if p, ok := anywhere(ownFolders, c.folded); ok {
		return "own code", fmt.Sprintf("%s belongs to what judges this patch", p)
	}
	if p, ok := anywhere(agentFiles, c.folded); ok {
		return "instructions", fmt.Sprintf("%s instructs those who review a patch, or names them", p)
	}
	for _, side := range []struct {
		dirs, parts []string
		why         string
	}{
		{o.programs, ownProgram, "is part of the program that judges this patch"},
		{o.workspaces, ownWorkspace, "is part of the workspace that the agents are measured in"},
	} {
		for _, dir := range side.dirs {
			for _, part := range side.parts {
				if covers(strings.TrimPrefix(dir+"/"+part, "./"), c.folded) {
					return "own code", part + " " + side.why
				}
			}
		}
	}
	return "", ""
}
