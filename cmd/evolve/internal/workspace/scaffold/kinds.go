package scaffold

import (
	"embed"
	"maps"
)

//go:embed all:_kinds
var kindTree embed.FS

// Kind is a kind of agent that a workspace can begin with.
type Kind struct {
	Name string
	// Needs is the program without which the agent does not run; empty if there is none.
	Needs string
	// folders are those of its files, the later ones above the earlier.
	folders []string
}

// Kinds lists the kinds. All of them route the same twenty messages to desks.
func Kinds() []Kind {
	return []Kind{
		{Name: "python", Needs: "python3", folders: []string{"common", "program", "python"}},
		{Name: "go", Needs: "go", folders: []string{"common", "program", "go"}},
		{Name: "node", Needs: "node", folders: []string{"common", "program", "node"}},
		{Name: "http", Needs: "python3", folders: []string{"common", "program", "http"}},
		{Name: "llm", folders: []string{"common", "llm"}},
	}
}

// Files returns the files of a workspace with an agent of this kind, as [Files] does.
func (k Kind) Files() map[string][]byte {
	files := map[string][]byte{}
	for _, folder := range k.folders {
		maps.Copy(files, filesIn(kindTree, "_kinds/"+folder))
	}
	return files
}
