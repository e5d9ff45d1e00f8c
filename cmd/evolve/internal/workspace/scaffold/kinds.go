package scaffold

import (
	"embed"
	"maps"
)

//go:embed all:_kinds
var kindTree embed.FS

// Kind is a kind of agent that a new workspace can have.
type Kind struct {
	Name string
	// Needs is the program that the agent needs to run; empty if there is none.
	Needs string
	// folders are the folders that hold the kind's files. A file in a later folder replaces
	// the same file in an earlier one.
	folders []string
}

// Kinds lists the kinds of agents. All of them route the same twenty messages to desks.
func Kinds() []Kind {
	return []Kind{
		{Name: "python", Needs: "python3", folders: []string{"common", "program", "python"}},
		{Name: "go", Needs: "go", folders: []string{"common", "program", "go"}},
		{Name: "node", Needs: "node", folders: []string{"common", "program", "node"}},
		{Name: "http", Needs: "python3", folders: []string{"common", "program", "http"}},
		{Name: "llm", folders: []string{"common", "llm"}},
	}
}

// Files returns the files of a workspace with an agent of this kind, in the same form as
// [Files].
func (k Kind) Files() map[string][]byte {
	files := map[string][]byte{}
	for _, folder := range k.folders {
		maps.Copy(files, filesIn(kindTree, "_kinds/"+folder))
	}
	return files
}
