package workspace

import (
	"bytes"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/scrub"
)

const secretHint = "put secrets in environment variables and give only the variables' names"

// scrubber returns the scrubber that recognizes credentials. It is created on first use.
func (c *collector) scrubber() *scrub.Scrubber {
	if c.scrub == nil {
		c.scrub = scrub.New(nil)
	}
	return c.scrub
}

// secret reports whether text looks like a credential or contains one.
func (c *collector) secret(text string) bool { return c.scrubber().Flags(text) }

// secrets reports every value, key and comment in a YAML file that looks like a credential.
// It removes such values from the tree so that no later message repeats them.
func (s *source) secrets(n *yaml.Node, data []byte) {
	lines := map[int]bool{}
	s.secretNodes(n, lines)
	// The values and keys have been checked; only the comments are left. They are checked
	// word by word, because prose contains colons.
	no := 0
	for line := range bytes.Lines(data) {
		no++
		at := bytes.IndexByte(line, '#')
		if at < 0 || lines[no] {
			continue
		}
		for word := range bytes.FieldsSeq(line[at:]) {
			if s.errs.secret(string(word)) {
				_, column := position(line, at)
				s.at(no, column, secretHint, "a comment contains what looks like a secret")
				break
			}
		}
	}
}

func (s *source) secretNodes(n *yaml.Node, lines map[int]bool) {
	if n.Kind == yaml.ScalarNode {
		if s.errs.secret(n.Value) {
			s.bad(n, secretHint, "a value looks like a secret")
			lines[n.Line] = true
			n.Kind, n.Value = yaml.AliasNode, ""
		}
		return
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if s.errs.secret(c.Value) {
				s.bad(c, secretHint, "a key looks like a secret")
				lines[c.Line] = true
			}
			continue
		}
		s.secretNodes(c, lines)
	}
}
