package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch"
	"evolve/runtime/scrub"
	"evolve/runtime/wholefile"
)

// checkOwn checks the files that an approval commits. Before a night is paid for, it
// reports any file that git could not commit unchanged or that seems to hold a credential.
func checkOwn(w *workspace.Workspace) []Check {
	const name = "adoption"
	var checks []Check
	names := w.OwnFiles()
	for i := range w.Agents {
		for file := range workspace.ChampionFiles(&w.Agents[i], w.Agents[i].Champion) {
			names = append(names, file)
		}
	}
	names = slices.DeleteFunc(names, func(file string) bool { return inOwnCode(w, file) })
	slices.Sort(names)
	for _, file := range slices.Compact(names) {
		if why := patch.Uncommittable(w.Root, file); why != "" {
			checks = append(checks, warn(name, "store the file itself in the workspace; until then, approvals are refused", "%s %s", file, why))
			continue
		}
		data, err := wholefile.Read(filepath.Join(w.Root, filepath.FromSlash(file)), review.MaxFile)
		if err != nil {
			continue // required files are checked elsewhere
		}
		if line := scrub.Line(data); line > 0 {
			checks = append(checks, warn(name, "put the credential in an environment variable and name only the variable here: an approval that would commit this file is refused",
				"%s, line %d, contains what looks like a credential", file, line))
		}
	}
	return checks
}

// inOwnCode reports whether a file belongs to an agent whose own code is a target. Such a
// file is changed by patches in the target's repository and not by approvals in the
// workspace.
func inOwnCode(w *workspace.Workspace, file string) bool {
	dir, in, ok := strings.Cut(file, "/")
	id, _, below := strings.Cut(in, "/")
	return ok && below && dir == "agents" && w.OwnCode(id) != ""
}
