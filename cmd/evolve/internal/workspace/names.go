package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AgentNames lists the agents of the workspace at root, for suggestions: the folders with
// an agent.yaml. It does not read the agents' files and leaves out unreadable folders.
func AgentNames(root string) []string {
	return namesIn(filepath.Join(root, agentsDir), func(e fs.DirEntry) string {
		if _, err := os.Stat(filepath.Join(root, agentsDir, e.Name(), agentYAML)); err != nil {
			return ""
		}
		return e.Name()
	})
}

// SuiteNames lists the suites of the workspace at root in the same way as AgentNames lists
// its agents.
func SuiteNames(root string) []string {
	return namesIn(filepath.Join(root, suitesDir), func(e fs.DirEntry) string {
		name, isSuite := strings.CutSuffix(e.Name(), suiteSuffix)
		if !isSuite || e.IsDir() {
			return ""
		}
		return name
	})
}

// namesIn lists the names that the given function (name) returns for the entries of a
// folder, leaving out invalid names.
func namesIn(dir string, name func(fs.DirEntry) string) []string {
	entries, _ := os.ReadDir(dir) // as many entries as can be read
	var names []string
	for _, e := range entries {
		if n := name(e); namePattern.MatchString(n) {
			names = append(names, n)
		}
	}
	return names
}
