package wire

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"github.com/google/renameio/v2"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/tool"
	"evolve/runtime/wholefile"
)

// toolWordsFile is the name of a file below .evolve. For each tool that agents may use, it
// holds a hash of the latest description that a server gave of the tool.
const toolWordsFile = "tool-words.json"

// maxToolWords limits the size of the file that is read, in bytes.
const maxToolWords = 4 << 20

// wordsOf returns a hash of the parts of a tool's specification that describe the tool to a
// model: its description and its schema.
func wordsOf(s tool.Spec) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %q", s.Description, s.Schema)))
}

// listing identifies the descriptions that the servers give of their tools; it returns ""
// if there are none. A tool with a changed description counts as another tool, and earlier
// measurements with it are not reused.
func listing(servers []tool.Tool) string {
	out := ""
	for _, t := range servers {
		s := t.Spec()
		out += fmt.Sprintf("\x00%s %s %s", s.Name, s.Effect, wordsOf(s))
	}
	return out
}

// warnOfChanges warns once about each tool whose description its server has changed since
// the tool's last use, because the tool was listed in evolve.yaml on the basis of the
// earlier description. A failure to store the hashes is ignored.
func (f *AgentFactory) warnOfChanges(servers []tool.Tool) {
	if len(servers) == 0 {
		return
	}
	known, err := readToolWords(f.workspace.Root)
	if err != nil {
		f.host.Log.Warn("the servers' tool descriptions cannot be compared with the earlier ones: " + err.Error())
	}
	now := maps.Clone(known)
	if now == nil {
		now = map[string]string{}
	}
	for _, t := range servers {
		s := t.Spec()
		now[s.Name] = wordsOf(s)
		if before, ok := known[s.Name]; ok && before != now[s.Name] {
			f.host.Log.Warn("a server changed the description of its tool: read the description again before you trust the tool", "tool", s.Name)
		}
	}
	if maps.Equal(now, known) {
		return
	}
	if err := keepToolWords(f.workspace.Root, now); err != nil {
		f.host.Log.Warn("the servers' tool descriptions were not stored: " + err.Error())
	}
}

func readToolWords(root string) (map[string]string, error) {
	path := filepath.Join(root, ".evolve", toolWordsFile)
	data, err := wholefile.Read(path, maxToolWords)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var known map[string]string
	if err := json.Unmarshal(data, &known); err != nil {
		return nil, fmt.Errorf("reading .evolve/%s: %w", toolWordsFile, err)
	}
	return known, nil
}

func keepToolWords(root string, words map[string]string) error {
	dir, err := workspace.MakeStateDir(root)
	if err != nil {
		return err
	}
	data, err := json.Marshal(words)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, toolWordsFile), data, 0o600)
}
