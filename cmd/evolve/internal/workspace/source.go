package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"evolve/bench"
	"evolve/runtime/wholefile"
)

// The limits on files that people write by hand: their sizes in bytes, and the nesting
// depth of YAML.
const (
	maxYAML   = 1 << 20
	maxText   = 1 << 20
	maxLines  = 64 << 20
	yamlDepth = 32
)

// source is one file of the workspace while it is being read.
type source struct {
	// file is the path of the file relative to the root, with slashes.
	file string
	errs *collector
}

// fail reports an issue with the file as a whole.
func (s *source) fail(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	s.errs.add(Issue{File: s.file, Message: err.Error(), Err: bench.HostFault(err)})
}

// bad reports an issue at a node, unless the node's value was already refused. Nodes with
// refused values are aliases ([source.sanity], [source.secrets]).
func (s *source) bad(n *yaml.Node, hint, format string, args ...any) {
	if n.Kind == yaml.AliasNode {
		return
	}
	s.errs.add(Issue{File: s.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// at reports an issue at a position.
func (s *source) at(line, column int, hint, format string, args ...any) {
	s.errs.add(Issue{File: s.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// read returns the content of the file. If the file cannot be read, it reports the reason
// and returns false. A missing file is reported only if it is needed.
func (s *source) read(root string, limit int64, needed bool) (data []byte, ok bool) {
	path := filepath.Join(root, filepath.FromSlash(s.file))
	data, err := wholefile.Read(path, limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A dangling symbolic link is a mistake, so it is reported even if the file is
		// optional.
		if _, lerr := os.Lstat(path); lerr == nil {
			s.fail("is a broken link")
		} else if needed {
			s.fail("does not exist")
		}
		return nil, false
	case errors.Is(err, wholefile.ErrIrregular):
		s.fail("is not a regular file")
		return nil, false
	case errors.As(err, new(*wholefile.TooLargeError)):
		s.fail("is larger than %d bytes", limit)
		return nil, false
	case err != nil:
		s.fail("cannot be read: %w", Reason(err))
		return nil, false
	}
	if off := bench.InvalidUTF8(data); off >= 0 {
		line, column := position(data, off)
		s.at(line, column, "", "is not valid UTF-8")
		return nil, false
	}
	return data, true
}

// Reason returns a file system error without the path, because the path is named by the
// message that the error is part of.
func Reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// position returns the line and column of a byte offset, both counted from 1.
func position(data []byte, offset int) (line, column int) {
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[start:])
}

// parse parses one YAML document. It returns nil after reporting a syntax error, and a
// mapping without keys for an empty file. The returned tree has no aliases, no explicit
// tags and only text keys, so reading it takes time linear in the length of the file.
func (s *source) parse(data []byte) *yaml.Node {
	if i := bytes.IndexFunc(data, forbidden); i >= 0 {
		line, column := position(data, i)
		r, _ := utf8.DecodeRune(data[i:])
		s.at(line, column, "", "contains the control character %U", r)
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(yamlDepth))))
	if err != nil {
		s.fail("cannot be read as YAML: %v", err)
		return nil
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	case err != nil:
		s.syntax(data, err)
		return nil
	}
	var second yaml.Node
	switch err := loader.Load(&second); {
	case err == nil:
		s.bad(&second, "", "contains a second YAML document")
	case !errors.Is(err, io.EOF):
		s.syntax(data, err)
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	}
	root := doc.Content[0]
	s.sanity(root)
	return root
}

// forbidden reports whether r is a character that YAML files may not contain.
func forbidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || r == 0x85:
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff:
		return true
	}
	return false
}

// syntax reports an error from the YAML parser in this project's wording.
func (s *source) syntax(data []byte, err error) {
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		var many *yaml.LoadErrors
		if !errors.As(err, &many) || len(many.Errors) == 0 {
			s.fail("is not valid YAML: %v", err)
			return
		}
		le = many.Errors[0]
	}
	message := "not valid YAML: " + le.Message
	if le.ContextMsg != "" && le.ContextMark.Line > 0 && le.ContextMark != le.Mark {
		message += fmt.Sprintf(", %s that begins at %d:%d", le.ContextMsg, le.ContextMark.Line, le.ContextMark.Column)
	}
	hint := ""
	if le.Mark.Line > 0 {
		lines := strings.Split(string(data), "\n")
		if le.Mark.Line <= len(lines) && strings.HasPrefix(strings.TrimLeft(lines[le.Mark.Line-1], " "), "\t") {
			hint = "indent with spaces, not tabs"
		}
	}
	s.at(le.Mark.Line, le.Mark.Column, hint, "%s", message)
}

// sanity reports constructs that are valid YAML but are not allowed in the workspace's
// files. Because aliases are refused, no document can expand when it is read.
func (s *source) sanity(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		s.at(n.Line, n.Column, "write the value out", "aliases are not supported")
		return
	case n.Anchor != "":
		s.bad(n, "", "anchors are not supported")
	case n.Style&yaml.TaggedStyle != 0:
		s.bad(n, "", "tags are not supported")
	}
	if n.Kind != yaml.MappingNode {
		for _, c := range n.Content {
			s.sanity(c)
		}
		return
	}
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch name, ok := keyName(k); {
		case k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge":
			s.bad(k, "write out the keys instead of merging them", "merge keys are not supported")
		case k.Kind == yaml.ScalarNode && k.Anchor != "":
			s.bad(k, "", "anchors are not supported")
		case !ok:
			s.bad(k, "", "a key must be text")
		case first[name] != nil:
			s.bad(k, "", "the key %q appears twice, first on line %d", name, first[name].Line)
		default:
			first[name] = k
		}
		s.sanity(v)
	}
}

// keyName returns the text of a mapping key, and reports false if the key is not text.
// Words that YAML reads as booleans, numbers or dates count as text, so they can name
// parameters.
func keyName(k *yaml.Node) (string, bool) {
	if k.Kind != yaml.ScalarNode || k.Style&yaml.TaggedStyle != 0 || k.Value == "" {
		return "", false
	}
	switch k.ShortTag() {
	case "!!str", "!!bool", "!!int", "!!float", "!!timestamp":
		return k.Value, true
	}
	return "", false
}
