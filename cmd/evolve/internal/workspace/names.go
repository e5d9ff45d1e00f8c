package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AgentNames lists the agents of the workspace at root without reading their files, for
// suggestions: the folders with an agent.yaml. Unreadable folders are left out.
func AgentNames(root string) []string {
	return namesIn(filepath.Join(root, agentsDir), func(e fs.DirEntry) string {
		if _, err := os.Stat(filepath.Join(root, agentsDir, e.Name(), agentYAML)); err != nil {
			return ""
		}
		return e.Name()
	})
}

// SuiteNames lists the suites of the workspace at root in the same way.
func SuiteNames(root string) []string {
	return namesIn(filepath.Join(root, suitesDir), func(e fs.DirEntry) string {
		name, isSuite := strings.CutSuffix(e.Name(), suiteSuffix)
		if !isSuite || e.IsDir() {
			return ""
		}
		return name
	})
}

// namesIn lists the valid names that name returns for the entries of a folder.
func namesIn(dir string, name func(fs.DirEntry) string) []string {
	entries, _ := os.ReadDir(dir) // as far as it can be read
	var names []string
	for _, e := range entries {
		if n := name(e); namePattern.MatchString(n) {
			names = append(names, n)
		}
	}
	return names
}
