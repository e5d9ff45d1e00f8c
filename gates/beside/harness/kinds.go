package harness

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// own reports whether a type is declared in the package under test.
func (s *Set) own(t reflect.Type) bool { return t.PkgPath() == s.Package && t.Name() != "" }

// plain returns the name of a type without type arguments.
func plain(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// fields returns the indices of those fields of a struct that can be set. For the
// package's own types these are all fields that exist on both sides; for other types, the
// exported fields.
func (s *Set) fields(t reflect.Type) []int {
	both, differs := s.Fields[plain(t)]
	var out []int
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Name == "_":
		case s.own(t) && differs && !slices.Contains(both, f.Name):
		case s.own(t) || f.IsExported() || t.Name() == "" && f.PkgPath == s.Package:
			out = append(out, i)
		}
	}
	return out
}

// makersOf returns the functions that return a type or a pointer to it.
func (s *Set) makersOf(t reflect.Type) []Function {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var out []Function
	for _, f := range s.Makers {
		if r := reflect.TypeOf(f.Func).Out(0); r == t || r.Kind() == reflect.Pointer && r.Elem() == t {
			out = append(out, f)
		}
	}
	return out
}

// implementers returns the package's types, or pointers to them, that implement an
// interface.
func (s *Set) implementers(t reflect.Type) []reflect.Type {
	var out []reflect.Type
	for _, o := range s.Types {
		switch {
		case o.Kind() == reflect.Interface:
		case o.Implements(t):
			out = append(out, o)
		case reflect.PointerTo(o).Implements(t):
			out = append(out, reflect.PointerTo(o))
		}
	}
	return out
}

// unmakeable returns the reason why no input for a function can be made, or "" if one can.
func (m *maker) unmakeable(f reflect.Type) string {
	for i := range f.NumIn() {
		if why := m.why(f.In(i)); why != "" {
			return why
		}
	}
	return ""
}

// why returns the reason why a type cannot be made, or "" if it can.
func (m *maker) why(t reflect.Type) string {
	if why, known := m.makeable[t]; known {
		return why
	}
	m.makeable[t] = "" // if the type refers to itself, the inner value can be nil
	why := m.reason(t)
	m.makeable[t] = why
	return why
}

func (m *maker) reason(t reflect.Type) string {
	switch t {
	case errorType, readerType, writerType, contextType, timeType, bufferType, builderType:
		return ""
	}
	if len(m.set.makersOf(t)) > 0 {
		return ""
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer:
		return "it takes a " + t.String()
	case reflect.Func:
		for i := range t.NumOut() {
			if why := m.why(t.Out(i)); why != "" {
				return why
			}
		}
		return ""
	case reflect.Interface:
		if t.NumMethod() == 0 || stringer.Implements(t) || reflect.TypeOf(&bytes.Buffer{}).Implements(t) || reflect.TypeOf(strings.NewReader("")).Implements(t) {
			return ""
		}
		for _, o := range m.set.implementers(t) {
			if m.why(o) == "" {
				return ""
			}
		}
		return "no implementation of " + t.String() + " is known"
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return m.why(t.Elem())
	case reflect.Map:
		if why := m.why(t.Key()); why != "" {
			return why
		}
		return m.why(t.Elem())
	case reflect.Struct:
		if m.set.own(t) || t.Name() == "" {
			return ""
		}
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				return "nothing makes a " + t.String()
			}
		}
	}
	return ""
}

// name returns the name of a type as it is written in the package's source.
func (m *maker) name(t reflect.Type) string {
	if m.set.own(t) {
		_, name, _ := strings.Cut(t.String(), ".")
		if base, args, generic := strings.Cut(t.String(), "["); generic {
			_, base, _ = strings.Cut(base, ".")
			name = base + "[" + args
		}
		return name
	}
	return strings.ReplaceAll(t.String(), m.set.Name+".", "")
}

// onlyMade reports whether only functions of the package can make values of a type, because
// it has unexported fields.
func (m *maker) onlyMade(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

func (m *maker) zero(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Array:
		return m.name(t) + "{}"
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return "nil"
	}
	return m.literal(reflect.Zero(t))
}

// internal reports whether a type belongs to package sync or sync/atomic or is bytes.Buffer
// or strings.Builder. The zero values of these types are ready to use.
func (s *Set) internal(t reflect.Type) bool {
	return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" || t == bufferType || t == builderType
}
