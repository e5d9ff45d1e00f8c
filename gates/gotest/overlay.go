package gotest

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// overlay writes files that the Go tool lays over the tree, keyed by their paths from the
// tree's root; a file with nil content is hidden. It returns the argument for -overlay,
// which is a path inside the sandbox. name is the name of the folder in scratch that the
// files are written to.
func (r goEnv) overlay(scratch, name string, files map[string][]byte) (string, error) {
	dir, there := filepath.Join(scratch, name), path.Join(r.lab.inside(scratch, scratchPlace), name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for p, text := range files {
		if text == nil {
			replace[r.at(p)] = ""
			continue
		}
		file := strconv.Itoa(len(replace)) + path.Ext(p)
		replace[r.at(p)] = path.Join(there, file)
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return path.Join(there, "overlay.json"), os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o600)
}
