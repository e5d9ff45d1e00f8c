package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// OwnFiles lists the files that make up the workspace: evolve.yaml with its schema and
// .gitignore, and for each agent agent.yaml, its champion, its prompt files, memories,
// tools and skills, and its suites. Paths are relative to the root, with slashes, in
// order; only regular files are listed. All other files, such as programs, fixtures, data
// and environment files, are the operator's to commit.
func (w *Workspace) OwnFiles() []string {
	want := []string{SettingsFile, settingsSchemaFile, agentSchemaFile, ".gitignore", path.Join(agentsDir, memoriesFile)}
	for i := range w.Agents {
		a := &w.Agents[i]
		dir := path.Join(agentsDir, a.ID)
		for _, name := range append([]string{agentYAML, ConfigFile, StrategyFile, memoriesFile}, bootstrapFiles...) {
			want = append(want, path.Join(dir, name))
		}
		for _, name := range SortedNames(a.ToolFiles) {
			want = append(want, path.Join(dir, toolsDir, name))
		}
		for _, name := range SortedNames(a.SkillFiles) {
			want = append(want, path.Join(dir, skillsDir, name))
		}
		for _, name := range a.Suites {
			want = append(want, path.Join(suitesDir, name+suiteSuffix))
		}
	}
	slices.Sort(want)
	return slices.DeleteFunc(slices.Compact(want), func(name string) bool {
		info, err := os.Lstat(filepath.Join(w.Root, filepath.FromSlash(name)))
		return err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0
	})
}
