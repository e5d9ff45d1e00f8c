package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// OwnFiles lists the files that make up the workspace: evolve.yaml with its schema,
// .gitignore, and for each agent its agent.yaml, champion, prompt files, memories, tools,
// skills and suites. Paths are relative to the root, slash-separated, and sorted. Only
// regular files and links are listed. Any other files, such as programs, fixtures, data and
// environment files, are left for the operator to commit.
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
