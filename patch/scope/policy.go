package scope

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// root, as an entry in a policy, stands for the whole repository.
const root = "."

// files and bytes return the policy's limits, or the defaults for limits that are not set.
func (p Policy) files() int {
	if p.MaxFiles > 0 {
		return p.MaxFiles
	}
	return defaultFiles
}

func (p Policy) bytes() int64 {
	if p.MaxBytes > 0 {
		return p.MaxBytes
	}
	return defaultBytes
}

// place refuses paths that are not in the policy's allow list or that are in its deny list.
// Paths are compared with the deny list in folded form, as a file system that ignores case
// would compare them.
func (p Policy) place(c *change) (rule, why string) {
	for _, d := range p.Deny {
		if covers(fold(d), c.folded) {
			return "denied", fmt.Sprintf("the target's policy denies %q", d)
		}
	}
	for _, a := range p.Allow {
		if covers(a, c.segments) {
			return "", ""
		}
	}
	if len(p.Allow) == 0 {
		return "not allowed", "the target's policy allows nothing"
	}
	return "not allowed", fmt.Sprintf("the target's policy allows only %q", p.Allow)
}

// Covers reports whether a slash-separated path is in the allow list and not in the deny
// list. Not every such file may be changed by a patch; see [Policy.Editable].
func (p Policy) Covers(path string) bool {
	rule, _ := p.place(&change{segments: strings.Split(path, "/"), folded: strings.Split(fold(path), "/")})
	return rule == ""
}

// covers reports whether an entry in a policy names a path or a folder above it.
func covers(entry string, segments []string) bool {
	entry = strings.TrimSuffix(entry, "/")
	if entry == root {
		return true
	}
	parts := strings.Split(entry, "/")
	return len(parts) <= len(segments) && slices.Equal(parts, segments[:len(parts)])
}

// problems lists the entries that cannot match any path. A policy with such entries refuses
// every patch, because a deny entry without effect must not go unnoticed.
func (p Policy) problems() []Finding {
	var out []Finding
	for _, entry := range slices.Concat(p.Allow, p.Deny) {
		if entry == root {
			continue
		}
		if rule, _ := malformed(strings.TrimSuffix(entry, "/")); rule != "" || !utf8.ValidString(entry) {
			out = append(out, Finding{Path: entry, Rule: "policy", Why: fmt.Sprintf(
				"the entry %q of the target's policy matches no path; write paths relative to the root of the repository, such as \"pkg/store\", or \".\" for all of it", entry)})
		}
	}
	return out
}

// Digest identifies everything, other than the trees, on which a judgement depends. It
// covers the policy and the tables of this package. The policy is in a canonical form, in
// which the order of entries, repetitions and explicit defaults make no difference.
// Because the tables are covered, a verdict from an older program with other tables does
// not count.
func (p Policy) Digest() string {
	plain := func(list []string) []string {
		out := []string{}
		for _, entry := range list {
			out = append(out, strings.TrimSuffix(entry, "/"))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	p.Allow, p.Deny = plain(p.Allow), plain(p.Deny)
	p.MaxFiles, p.MaxBytes = p.files(), p.bytes()
	tables := [][]string{goldenFiles, moduleFiles, buildFolders, buildFiles, shellFiles, cFiles, objectFiles, gitFiles, ownFolders, ownProgram, ownWorkspace, agentFiles, toolFolders, toolFiles}
	for _, t := range trustedWords {
		tables = append(tables, append([]string{t.about}, t.words...))
	}
	text, err := json.Marshal(struct {
		Policy Policy
		Tables [][]string
	}{p, tables})
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
