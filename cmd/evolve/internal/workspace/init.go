package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
)

// The schema files in a scaffold.
const (
	settingsSchemaFile = "evolve.schema.json"
	agentSchemaFile    = "agents/agent.schema.json"
	// modeline is the comment that points editors to the schema of a YAML file.
	modeline = "# yaml-language-server: $schema="
)

const ignored = "# Files that evolve writes: the archive, transcripts, reports.\n.evolve/\n"

// Init makes dir a workspace. It writes the given files of a starter workspace (files),
// with a schema and comments that explain every key. If minimal is set, it writes only
// evolve.yaml and, if it is missing, .gitignore. It never overwrites a file. It returns the
// slash-separated paths of the files that were written and of the existing files that were
// left unchanged, in order; after an error, it returns the paths processed so far.
func Init(dir string, files map[string][]byte, minimal bool) (written, kept []string, err error) {
	scaffold := map[string][]byte{".gitignore": []byte(ignored), SettingsFile: annotatedSettings()}
	if !minimal {
		scaffold = fullScaffold(files, scaffold)
	}
	for _, name := range slices.Sorted(maps.Keys(scaffold)) {
		target := filepath.Join(dir, filepath.FromSlash(name))
		switch _, err := os.Lstat(target); {
		case err == nil:
			kept = append(kept, name)
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return written, kept, fmt.Errorf("write %s: %w", name, Reason(err))
		}
		if err := writeFile(target, scaffold[name]); err != nil {
			return written, kept, fmt.Errorf("write %s: %w", name, Reason(err))
		}
		written = append(written, name)
	}
	return written, kept, nil
}

// fullScaffold returns the default files (scaffold) with explanations of the keys in the
// YAML files. The files of the starter workspace (files) replace or extend the default
// files.
func fullScaffold(files, scaffold map[string][]byte) map[string][]byte {
	starter := maps.Clone(files)
	for name, data := range starter {
		dir, base := path.Split(name)
		switch {
		case name == SettingsFile:
			starter[name] = explained(data, settingsSchemaFile, settingsKeys(newSettingsFile()))
		case base == agentYAML && path.Dir(path.Clean(dir)) == agentsDir:
			starter[name] = explained(data, "../"+path.Base(agentSchemaFile), agentKeys(newAgentFile()))
		}
	}
	if starter[SettingsFile] == nil {
		starter[SettingsFile] = withModeline(scaffold[SettingsFile], settingsSchemaFile)
	}
	if starter[".gitignore"] == nil {
		starter[".gitignore"] = scaffold[".gitignore"]
	}
	starter[settingsSchemaFile] = SettingsSchema()
	starter[agentSchemaFile] = AgentSchema()
	return starter
}

// explained adds to a YAML file a reference to the schema and an explanation of every
// key.
func explained(data []byte, schemaFile string, table object) []byte {
	data = bytes.TrimRight(data, "\n")
	return append(append(withModeline(data, schemaFile), '\n'), reference(table)...)
}

func withModeline(data []byte, schemaFile string) []byte {
	if bytes.Contains(data, []byte(modeline)) {
		return data
	}
	return append([]byte(modeline+schemaFile+"\n"), data...)
}

// writeFile writes a file atomically. Scripts are executable.
func writeFile(target string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o755
	}
	return renameio.WriteFile(target, data, mode)
}

// MakeStateDir creates the folder for everything that evolve itself writes, and returns its
// path. git ignores the folder regardless of the workspace's own .gitignore. MakeStateDir
// fails with a [LinkedStateError] if a link would redirect the written files elsewhere.
func MakeStateDir(root string) (string, error) {
	dir := (&Workspace{Root: root}).StateDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("create %s: %w", filepath.Base(dir), err)
	}
	if err := CheckState(root); err != nil {
		return "", err
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := renameio.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return "", fmt.Errorf("write %s/.gitignore: %w", filepath.Base(dir), Reason(err))
		}
	}
	return dir, nil
}
