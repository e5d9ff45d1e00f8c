package scope

import (
	"fmt"
	"strings"
)

var (
	// ownFolders are folders, at any depth, with code that judges patches and agents.
	ownFolders = []string{".evolve", "graders"}
	// ownProgram lists those parts of this program's own source that judge patches and
	// agents. The program's agents must not change them by a patch.
	ownProgram = []string{
		"gates", "patch", "archive", "bench", "mutate/night", "mutate/evidence", "runtime/sandbox",
		"cmd/evolve/internal/batch", "cmd/evolve/internal/wire", "cmd/evolve/internal/workspace",
	}
	// ownWorkspace lists the files and folders of a workspace that define how agents are
	// measured and what they may do.
	ownWorkspace = []string{"evolve.yaml", "agents", "suites"}
	// agentFiles instruct the agents that work on the code, including the reviewer of a
	// patch, or name the people who review it.
	agentFiles = []string{
		"agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules", ".mcp.json",
		".cursor", ".claude", ".codex", ".aider*", "codeowners",
	}
)

// The files that mark this program's source and a workspace.
const (
	programMark   = "cmd/evolve/main.go"
	workspaceMark = "evolve.yaml"
)

// own lists the folders that hold the program or a workspace.
type own struct{ programs, workspaces []string }

// newOwn finds the folders of programs and workspaces. It searches only the base tree, so
// that a patch cannot remove a mark before the patch is judged.
func newOwn(base Tree) own {
	var o own
	for _, e := range base {
		if dir, ok := markedFolder(e.Path, programMark); ok {
			o.programs = append(o.programs, dir)
		}
		if dir, ok := markedFolder(e.Path, workspaceMark); ok {
			o.workspaces = append(o.workspaces, dir)
		}
	}
	return o
}

// markedFolder returns the folder that contains the mark, in folded form, if the path is
// a mark's path; ok is false for any other path.
func markedFolder(path, mark string) (dir string, ok bool) {
	if path == mark {
		return root, true
	}
	dir, ok = strings.CutSuffix(path, "/"+mark)
	if !ok {
		return "", false
	}
	return fold(dir), true
}

// belongs refuses a change to the code that judges the patch, or to instructions for its
// reviewers.
func (o own) belongs(c *change) (rule, why string) {
	if p, ok := anywhere(ownFolders, c.folded); ok {
		return "own code", fmt.Sprintf("%s is part of the code that judges this patch", p)
	}
	if p, ok := anywhere(agentFiles, c.folded); ok {
		return "instructions", fmt.Sprintf("%s instructs or names the reviewers of a patch", p)
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
