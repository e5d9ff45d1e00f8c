package source

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// Manifest returns the programs and the main module that a package.json names, as clean
// paths relative to the folder of that file. It leaves out paths that are malformed or lead
// outside the folder.
func Manifest(text []byte) []string {
	if len(text) > MaxText {
		return nil
	}
	var m struct {
		Main json.RawMessage `json:"main"`
		Bin  json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	var named []string
	for _, raw := range []json.RawMessage{m.Main, m.Bin} {
		var one string
		var many map[string]string
		if json.Unmarshal(raw, &one) == nil {
			named = append(named, one)
		} else if json.Unmarshal(raw, &many) == nil {
			for _, name := range slices.Sorted(maps.Keys(many)) {
				named = append(named, many[name])
			}
		}
	}
	var out []string
	for _, p := range named {
		clean := path.Clean(p)
		if p == "" || len(p) > maxName || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") ||
			slices.Contains(out, clean) || len(out) >= maxList {
			continue
		}
		out = append(out, clean)
	}
	return out
}
