package model

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestSchemaIsDocumented checks that schema.md documents every field of the JSON.
func TestSchemaIsDocumented(t *testing.T) {
	text, err := os.ReadFile("schema.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] || !strings.HasPrefix(typ.PkgPath(), "evolve/reports") {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				f := typ.Field(i)
				walk(f.Type)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name == "" && !f.Anonymous {
					t.Errorf("%s.%s has no name in the JSON", typ.Name(), f.Name)
				}
				if name != "" && !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), "`"+name+"[]`") {
					t.Errorf("schema.md does not name %s of %s", name, typ.Name())
				}
			}
		}
	}
	walk(reflect.TypeFor[Report]())
	walk(reflect.TypeFor[Summary]())
	if len(seen) < 20 {
		t.Fatalf("only %d types were looked at", len(seen))
	}
	for _, schema := range []string{Schema, IndexSchema} {
		if !strings.Contains(string(text), "`"+schema+"`") {
			t.Errorf("schema.md does not name %s", schema)
		}
	}
}
