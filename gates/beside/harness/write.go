package harness

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// The marks around parts of a value that are compared in a special way. Quoted text
// contains none of them.
const (
	Open, Close = "\x01", "\x02"
	// Float marks a number, Message the text of an error, Empty a list or map that is nil
	// or has no elements, and Wrapped the types from other packages that an error wraps.
	Float, Message, Empty, Wrapped = "f", "e", "z", "w"
)

// The limits on writing one value.
const (
	mostWritten = 6 << 10
	mostNodes   = 4000
	deepestSeen = 8
)

// writer writes values in a form that does not depend on addresses or on the order of maps.
type writer struct {
	set   *Set
	out   strings.Builder
	nodes int
}

// whole returns a value, with all its parts, as text.
func (w *writer) whole(v reflect.Value) string {
	return w.text(func() { w.put(addressable(v), 0) })
}

// text returns the text that do writes. If it is longer than mostWritten bytes, it is cut
// off and followed by a checksum of the whole text.
func (w *writer) text(do func()) string {
	w.out.Reset()
	w.nodes = 0
	if p := caught(do); p != "" {
		w.out.WriteString("panic while the value was read: " + p)
	}
	s := w.out.String()
	if len(s) > mostWritten {
		return fmt.Sprintf("%s… and %d more bytes, checksum %x", s[:mostWritten], len(s)-mostWritten, sha256.Sum256([]byte(s)))
	}
	return s
}

// state returns the value of an argument if a call may have changed it, and otherwise "".
func (w *writer) state(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return ""
		}
		return w.whole(v)
	case reflect.Interface:
		if !v.IsNil() {
			return w.state(v.Elem())
		}
	}
	return ""
}

// addressable returns an addressable copy of a value, in which unexported fields can be
// read too.
func addressable(v reflect.Value) reflect.Value {
	if !v.CanInterface() {
		return v
	}
	n := reflect.New(v.Type()).Elem()
	n.Set(v)
	return n
}

func (w *writer) str(s string) { w.out.WriteString(s) }

// put writes one value.
func (w *writer) put(v reflect.Value, depth int) {
	if w.nodes++; w.nodes > mostNodes || depth > deepestSeen {
		w.str("…")
		return
	}
	if !v.IsValid() {
		w.str("nil")
		return
	}
	if v.CanInterface() && w.known(v) {
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Bool:
		w.str(strconv.FormatBool(v.Bool()))
	case reflect.String:
		w.str(strconv.Quote(v.String()))
	case reflect.Float32, reflect.Float64:
		w.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		w.float(real(v.Complex()))
		w.str("+i")
		w.float(imag(v.Complex()))
	case reflect.Pointer:
		if v.IsNil() {
			w.str("nil")
			return
		}
		w.str("&")
		w.put(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		w.list(v, depth)
	case reflect.Map:
		w.table(v, depth)
	case reflect.Struct:
		w.fields(v, depth)
	case reflect.Interface:
		if v.IsNil() {
			w.str("nil")
			return
		}
		w.str(v.Elem().Type().String() + "(")
		w.put(unlocked(v.Elem()), depth+1)
		w.str(")")
	case reflect.Func:
		w.function(v, depth)
	case reflect.Chan, reflect.UnsafePointer:
		w.str(present(v.IsNil(), t))
	default:
		if v.CanInt() {
			w.str(strconv.FormatInt(v.Int(), 10))
		} else {
			w.str(strconv.FormatUint(v.Uint(), 10))
		}
	}
}

// unlocked converts a value taken from an interface or a map to a form in which the
// value's fields can be read.
func unlocked(v reflect.Value) reflect.Value {
	if v.CanInterface() {
		return addressable(v)
	}
	return v
}

func present(none bool, t reflect.Type) string {
	if none {
		return "nil"
	}
	return "a " + t.String()
}

func (w *writer) float(f float64) {
	w.str(Open + Float + strconv.FormatFloat(f, 'g', -1, 64) + Close)
}

// known writes a value in a special form if its type has one, and reports whether it did.
func (w *writer) known(v reflect.Value) bool {
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return false
	}
	switch x := v.Interface().(type) {
	case time.Time:
		w.str(x.Format(time.RFC3339Nano))
		return true
	case *bytes.Buffer:
		w.str("a buffer of " + strconv.Quote(x.String()))
		return true
	case *strings.Builder:
		w.str("a builder of " + strconv.Quote(x.String()))
		return true
	case *strings.Reader:
		w.reader(x)
		return true
	case *bytes.Reader:
		w.reader(x)
		return true
	case error:
		if v.Kind() == reflect.Interface || !w.set.own(v.Type()) && (v.Kind() != reflect.Pointer || !w.set.own(v.Type().Elem())) {
			w.err(x)
			return true
		}
	}
	return false
}

func (w *writer) reader(r io.Reader) {
	data, err := io.ReadAll(io.LimitReader(r, 64<<10))
	w.str("a reader of " + strconv.Quote(string(data)))
	if err != nil {
		w.err(err)
	}
}

// err writes an error: its text, those errors of the package and of package io that it
// matches, and the types in its chain that are not from packages errors and fmt.
func (w *writer) err(err error) {
	w.str("error{" + Open + Message + strconv.Quote(err.Error()) + Close)
	for _, e := range w.set.Errors {
		if known, ok := e.Value.(error); ok && known != nil && errors.Is(err, known) {
			w.str(" is " + e.Name)
		}
	}
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, e) {
			w.str(" is " + e.Error())
		}
	}
	own := ""
	w.str(Open + Wrapped)
	for e := err; e != nil; e = errors.Unwrap(e) {
		t := reflect.TypeOf(e)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case w.set.own(t):
			own += " of " + t.String()
		case t.PkgPath() != "errors" && t.PkgPath() != "fmt":
			w.str(" of " + t.String())
		}
	}
	w.str(Close + own + "}")
}

func (w *writer) list(v reflect.Value, depth int) {
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		w.empty(v.IsNil(), "[]")
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		w.str("bytes" + strconv.Quote(string(v.Bytes())))
		return
	}
	w.str("[")
	for i := range v.Len() {
		if i > 0 {
			w.str(" ")
		}
		if w.nodes > mostNodes {
			w.str("…")
			break
		}
		w.put(v.Index(i), depth+1)
	}
	w.str("]")
	if v.Len() > mostNodes {
		w.str(fmt.Sprintf(" of %d", v.Len()))
	}
}

func (w *writer) empty(none bool, text string) {
	if none {
		text = "nil"
	}
	w.str(Open + Empty + text + Close)
}

func (w *writer) table(v reflect.Value, depth int) {
	if v.Len() == 0 {
		w.empty(v.IsNil(), "map[]")
		return
	}
	var list []string
	for _, k := range v.MapKeys() {
		if w.nodes > mostNodes {
			break
		}
		inner := &writer{set: w.set, nodes: w.nodes}
		inner.put(unlocked(k), depth+1)
		inner.str(":")
		inner.put(unlocked(v.MapIndex(k)), depth+1)
		w.nodes = inner.nodes
		list = append(list, inner.out.String())
	}
	slices.Sort(list)
	w.str(fmt.Sprintf("map of %d[", v.Len()))
	if w.nodes <= mostNodes { // above mostNodes, the map's order determines which keys were written
		w.str(strings.Join(list, " "))
	}
	w.str("]")
}

// fields writes a struct. It leaves out fields that only one side has, and the unexported
// fields of types that differ between the sides or belong to other packages.
func (w *writer) fields(v reflect.Value, depth int) {
	t := v.Type()
	own := w.set.own(t)
	open := own && slices.Contains(w.set.Alike, plain(t)) || t.Name() == "" || t.PkgPath() == "sync/atomic"
	w.str("{")
	shown, hidden := 0, false
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !open || f.Name == "_" || t.PkgPath() == "sync" || f.Type.PkgPath() == "sync" {
			hidden = true
			continue
		}
		if both, differs := w.set.Fields[plain(t)]; own && differs && !slices.Contains(both, f.Name) {
			continue
		}
		if shown++; shown > 1 {
			w.str(" ")
		}
		w.str(f.Name + ":")
		x := v.Field(i)
		if !f.IsExported() && x.CanAddr() {
			x = reflect.NewAt(f.Type, unsafe.Pointer(x.UnsafeAddr())).Elem()
		}
		w.put(x, depth+1)
	}
	w.str("}")
	if !hidden || !v.CanInterface() {
		return
	}
	if own {
		w.looks(v)
		return
	}
	if s, ok := v.Interface().(fmt.Stringer); ok && t.PkgPath() != "sync" {
		w.str(strconv.Quote(s.String()))
	} else if v.CanAddr() {
		if s, ok := v.Addr().Interface().(fmt.Stringer); ok {
			w.str(strconv.Quote(s.String()))
		}
	}
}

// looks calls a value's methods in [Set.Looks], which take no parameters, and writes their
// results.
func (w *writer) looks(v reflect.Value) {
	for _, f := range w.set.Looks {
		in := reflect.TypeOf(f.Func).In(0)
		x := v
		if in.Kind() == reflect.Pointer && in.Elem() == v.Type() && v.CanAddr() {
			x = v.Addr()
		} else if in != v.Type() {
			continue
		}
		_, method, _ := strings.Cut(f.Name, ").")
		w.str(" " + method + "()=")
		if p := caught(func() {
			for _, r := range reflect.ValueOf(f.Func).Call([]reflect.Value{x}) {
				if r.Kind() == reflect.Struct || r.Kind() == reflect.Pointer {
					w.str("_")
					continue
				}
				w.put(r, deepestSeen-2)
			}
		}); p != "" {
			w.str(p)
		}
	}
}

// function writes the values that an iterator yields; for any other function it writes
// only whether it is nil.
func (w *writer) function(v reflect.Value, depth int) {
	t := v.Type()
	if v.IsNil() || t.NumOut() > 0 || t.NumIn() != 1 || t.In(0).Kind() != reflect.Func || t.In(0).NumOut() != 1 || t.In(0).Out(0).Kind() != reflect.Bool {
		w.str(present(v.IsNil(), t))
		return
	}
	n := 0
	yield := reflect.MakeFunc(t.In(0), func(args []reflect.Value) []reflect.Value {
		n++
		for _, a := range args {
			w.put(addressable(a), depth+1)
			w.str(" ")
		}
		w.str("; ")
		return []reflect.Value{reflect.ValueOf(n < 100).Convert(t.In(0).Out(0))}
	})
	w.str("yields ")
	v.Call([]reflect.Value{yield})
}
