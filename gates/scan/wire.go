package scan

import (
	"go/ast"
	"go/token"
)

// wireNames looks for fields of the base whose tags change. This changes the names in the
// encoded form, which a test that encodes and decodes with the same type does not detect.
func wireNames(f *file, found report) {
	before := f.before()
	if before == nil {
		return
	}
	was := tags(before.now)
	for field, now := range tags(f.now) {
		if old, ok := was[field]; ok && old.value != now.value {
			found(now.at, false, "the encoded name of the field %+q is now %+q; before, it was %+q", field, now.value, old.value)
		}
	}
}

type tag struct {
	value string
	at    token.Pos
}

// tags returns the tags of the fields of a file's struct types, by type and field; the
// value is "" if a field has no tag.
func tags(a *ast.File) map[string]tag {
	out := map[string]tag{}
	nodes, _ := declarations(a)
	for _, n := range nodes {
		t, ok := n.(*ast.TypeSpec)
		if !ok {
			continue
		}
		st, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range st.Fields.List {
			value := ""
			if field.Tag != nil {
				value = field.Tag.Value
			}
			for _, name := range field.Names {
				out[t.Name.Name+"."+name.Name] = tag{value, field.Pos()}
			}
		}
	}
	return out
}
