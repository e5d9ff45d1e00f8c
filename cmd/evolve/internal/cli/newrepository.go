package cli

import (
	"fmt"
	"io"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// founding lists the files of the repository that a decision would create. It returns no
// files if the decision commits nothing or if the workspace is already in a repository.
func founding(sh *shell, w *workspace.Workspace, d decision, p archive.ProposalRecord) ([]string, error) {
	if !d.commits || p.Patch != nil || p.Kind == archive.KindAutonomy {
		return nil, nil
	}
	return sh.Reviewer(w, nil).InitialFiles()
}

const newRepository = "the workspace is not in a git repository; the first commit of a new repository will contain only these files"

// printFounding names the files of a new repository's first commit.
func printFounding(out io.Writer, files []string) {
	if len(files) == 0 {
		return
	}
	_, _ = fmt.Fprintf(out, "%s:\n", newRepository)
	for _, name := range files {
		_, _ = fmt.Fprintf(out, "  %s\n", text.Visible(name))
	}
}
