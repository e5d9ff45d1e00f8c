package importer

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// Files are read node by node: values keep the text they were written with, and an alias
// is resolved where it is used, so that nested aliases are not expanded in memory.

// resolve returns the node that a document or an alias refers to.
func resolve(n *yaml.Node) *yaml.Node {
	for range 10 {
		switch {
		case n == nil:
			return &yaml.Node{}
		case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
			n = n.Content[0]
		case n.Kind == yaml.AliasNode:
			n = n.Alias
		default:
			return n
		}
	}
	return &yaml.Node{}
}

// field returns the value of a key, or nil if n is not a mapping or has no such key; null
// counts as absent.
func field(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			if v := resolve(n.Content[i+1]); v.Kind != 0 && v.ShortTag() != "!!null" {
				return v
			}
			return nil
		}
	}
	return nil
}

// unreadKeys records the unused keys of a mapping, as ignore does for an object.
func (c *collector) unreadKeys(within string, n *yaml.Node, read ...string) {
	countKeys(c.unread, within, n, read...)
}

// countKeys counts the keys of a mapping that have a value and are not among those read.
func countKeys(counts map[string]int, within string, n *yaml.Node, read ...string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, resolve(n.Content[i+1])
		hollow := len(value.Content) == 0 && (value.Value == "" || value.ShortTag() == "!!null")
		if !slices.Contains(read, key) && !hollow {
			counts[within+key]++
		}
	}
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

func isScalar(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null"
}

func isText(n *yaml.Node) bool {
	return isScalar(n) && n.ShortTag() == "!!str"
}

// maxNodes bounds the number of nodes in a converted value, with aliases expanded.
const maxNodes = 20_000

// plain converts a node to its JSON value.
func plain(n *yaml.Node) (any, error) {
	left := maxNodes
	return plainWithin(n, &left, 0)
}

func plainWithin(n *yaml.Node, left *int, depth int) (any, error) {
	if *left--; *left < 0 || depth > 100 {
		return nil, errors.New("a value in it is too large")
	}
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := plainWithin(n.Content[i+1], left, depth+1)
			if err != nil {
				return nil, err
			}
			m[resolve(n.Content[i]).Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := plainWithin(item, left, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		if b, err := strconv.ParseBool(n.Value); err == nil {
			return b, nil
		}
	case "!!int":
		if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return i, nil
		}
	case "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f, nil
		}
	}
	return n.Value, nil
}
