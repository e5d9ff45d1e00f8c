package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	rtext "evolve/runtime/text"
)

// referenceWidth is the maximum line width of the comments in a scaffold.
const referenceWidth = 96

// annotatedSettings returns an evolve.yaml in which every key is commented out and
// explained, with its default or an example.
func annotatedSettings() []byte {
	var b bytes.Buffer
	b.WriteString("# Settings of this evolve workspace. Every key may be left out.\n")
	for _, k := range settingsKeys(newSettingsFile()).keys {
		b.WriteByte('\n')
		comment(&b, "", sentence(k.doc))
		o, ok := k.field.(object)
		if !ok {
			explain(&b, "#   ", k.field)
			proposed(&b, "", k)
			continue
		}
		fmt.Fprintf(&b, "%s:\n", k.name)
		for _, k := range o.keys {
			comment(&b, "  ", sentence(k.doc))
			explain(&b, "  #   ", k.field)
			proposed(&b, "  ", k)
		}
	}
	return b.Bytes()
}

// proposed writes a commented-out key that takes effect once the comment sign is removed.
func proposed(b *bytes.Buffer, indent string, k key) {
	if k.def != "" {
		fmt.Fprintf(b, "%s# %s: %s\n", indent, k.name, k.def)
	} else {
		fmt.Fprintf(b, "%s# %s: %s  # an example; not set by default\n", indent, k.name, k.example)
	}
}

// reference returns comments that list and explain every key of a file.
func reference(o object) []byte {
	var b bytes.Buffer
	b.WriteString("\n# Every key of this file:\n#\n")
	explainKeys(&b, "# ", o.keys)
	return b.Bytes()
}

func explainKeys(b *bytes.Buffer, indent string, keys []key) {
	for _, k := range keys {
		doc := k.doc
		switch {
		case k.required:
			doc += " (required)"
		case k.def != "":
			doc += " (default: " + k.def + ")"
		}
		wrap(b, indent+k.name+": ", indent+"    ", doc)
		explain(b, indent+"  ", k.field)
	}
}

// explain writes the explanations of the keys below a field.
func explain(b *bytes.Buffer, indent string, f field) {
	switch f := f.(type) {
	case object:
		explainKeys(b, indent, f.keys)
	case draft:
		fmt.Fprintf(b, "%s<parameter>:\n", indent)
		explainUnion(b, indent+"  ", f.byType())
	case union:
		explainUnion(b, indent, f)
	case then:
		explain(b, indent, f.field)
	case listOf:
		if item, ok := f.each().(object); ok {
			fmt.Fprintf(b, "%s-\n", indent)
			explain(b, indent+"  ", item)
		}
	case mapping:
		switch item := f.item.(type) {
		case draft:
			explain(b, indent, item)
		case object, union:
			fmt.Fprintf(b, "%s<name>:\n", indent)
			explain(b, indent+"  ", item)
		}
	}
}

// explainUnion writes the explanations of each member's own keys, followed by the
// explanations of the keys that are common to all members.
func explainUnion(b *bytes.Buffer, indent string, u union) {
	shared := func(k key) bool {
		for _, name := range u.names {
			if !slices.ContainsFunc(u.members[name].keys, func(o key) bool { return o.name == k.name && o.doc == k.doc }) {
				return false
			}
		}
		return true
	}
	for _, name := range u.names {
		fmt.Fprintf(b, "%s%s: %s\n", indent, u.by, name)
		explainKeys(b, indent+"  ", slices.DeleteFunc(slices.Clone(u.members[name].keys), shared))
	}
	explainKeys(b, indent, slices.DeleteFunc(slices.Clone(u.members[u.names[0]].keys), func(k key) bool {
		return k.name == u.by || !shared(k)
	}))
}

func comment(b *bytes.Buffer, indent, prose string) {
	wrap(b, indent+"# ", indent+"# ", prose)
}

// wrap writes prose in lines of bounded width. The first line begins with the prefix first,
// all others with rest.
func wrap(b *bytes.Buffer, first, rest, prose string) {
	wider := max(0, len(first)-len(rest))
	for i, line := range rtext.Fill(strings.Repeat("_", wider)+prose, referenceWidth-len(rest)) {
		if i == 0 {
			line = first + line[wider:]
		} else {
			line = rest + line
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
