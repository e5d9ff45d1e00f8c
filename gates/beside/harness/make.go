package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// The bounds of one input.
const (
	deepest = 5    // levels of values within values
	largest = 1500 // values in all
)

// maker draws the inputs of one call.
type maker struct {
	dice
	set   *Set
	small bool
	// ints and texts are values of this input that come again.
	ints  []int64
	texts []string
	// before are the statements before the call; names counts the variables in them, values
	// all values made so far.
	before []string
	names  int
	values int
	// told is what functions that were given to the function were called with.
	told []string
	// makeable remembers why a type cannot be made; "" that it can.
	makeable map[reflect.Type]string
}

func newMaker(set *Set) *maker { return &maker{set: set, makeable: map[reflect.Type]string{}} }

// begin sets the dice for an input of a function.
func (m *maker) begin(name string, i int, small bool) {
	m.dice, m.small = newDice(name, i), small
}

var (
	errorType   = reflect.TypeOf((*error)(nil)).Elem()
	readerType  = reflect.TypeOf((*io.Reader)(nil)).Elem()
	writerType  = reflect.TypeOf((*io.Writer)(nil)).Elem()
	contextType = reflect.TypeOf((*context.Context)(nil)).Elem()
	stringer    = reflect.TypeOf((*fmt.Stringer)(nil)).Elem()
	timeType    = reflect.TypeOf(time.Time{})
	bufferType  = reflect.TypeOf(bytes.Buffer{})
	builderType = reflect.TypeOf(strings.Builder{})
)

// own reports whether a type is declared in the package.
func (s *Set) own(t reflect.Type) bool { return t.PkgPath() == s.Package && t.Name() != "" }

// plain is the name of a type without what it is instantiated with.
func plain(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// fields are those of a struct that can be set: all of the package's own that both sides
// have, and the exported ones of others.
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

// makersOf are the functions that return a type, or a pointer to it.
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

// implementers are the package's types, or pointers to them, that fit an interface.
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

// unmakeable says why no input of a function can be made, "" when it can.
func (m *maker) unmakeable(f reflect.Type) string {
	for i := range f.NumIn() {
		if why := m.why(f.In(i)); why != "" {
			return why
		}
	}
	return ""
}

// why says why a type cannot be made.
func (m *maker) why(t reflect.Type) string {
	if why, known := m.makeable[t]; known {
		return why
	}
	m.makeable[t] = "" // a type within itself is nil there
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

// input draws the arguments of a function with the source of the call.
func (m *maker) input(f Function, i int) ([]reflect.Value, string) {
	t := reflect.TypeOf(f.Func)
	receiver := strings.HasPrefix(f.Name, "(")
	var args []reflect.Value
	var texts []string
	for n := range t.NumIn() {
		in := t.In(n)
		v, text, ok := m.listed(in, i, n, t.NumIn())
		if !ok {
			v, text = m.value(in, 0)
		}
		if t.IsVariadic() && n == t.NumIn()-1 && text != "nil" {
			text += "..."
		}
		args, texts = append(args, v), append(texts, text)
	}
	call := f.Name + "(" + strings.Join(texts, ", ") + ")"
	if receiver && len(texts) > 0 {
		_, method, _ := strings.Cut(f.Name, ").")
		call = operand(texts[0]) + "." + method + "(" + strings.Join(texts[1:], ", ") + ")"
	}
	return args, strings.Join(append(m.before, call), "; ")
}

// operand is a receiver as a method can be called on it.
func operand(text string) string {
	if strings.HasPrefix(text, "&") {
		return "(" + text + ")"
	}
	return text
}

// listed gives the first inputs of each parameter one after another, while the others
// are drawn.
func (m *maker) listed(t reflect.Type, i, n, of int) (reflect.Value, string, bool) {
	if i%of != n || i/of >= 3*Calls/4/of {
		return reflect.Value{}, "", false
	}
	i /= of
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		switch {
		case i < len(m.set.Strings):
			v.SetString(m.set.Strings[i])
		case i < len(m.set.Strings)+len(plainTexts):
			v.SetString(plainTexts[i-len(m.set.Strings)])
		default:
			return v, "", false
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var x int64
		switch {
		case i < len(m.set.Ints):
			x = m.set.Ints[i]
		case i < len(m.set.Ints)+len(plainInts):
			x = plainInts[i-len(m.set.Ints)]
		case i < len(m.set.Ints)+len(plainInts)+len(largeInts):
			x = largeInts[i-len(m.set.Ints)-len(plainInts)]
		default:
			return v, "", false
		}
		m.setInteger(v, m.bounded(x))
	default:
		return v, "", false
	}
	return v, m.literal(v), true
}

func (m *maker) setInteger(v reflect.Value, x int64) {
	if v.CanInt() {
		v.SetInt(x)
	} else {
		v.SetUint(uint64(x))
	}
}

// name is a type as the package's source calls it.
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

// literal is a value of a basic kind as source.
func (m *maker) literal(v reflect.Value) string {
	t := v.Type()
	text := ""
	switch {
	case v.Kind() == reflect.String:
		text = strconv.Quote(v.String())
		if s := v.String(); len(s) > 200 && s == long(len(s)) {
			text = fmt.Sprintf("strings.Repeat(%q, %d)[:%d]", long(10), len(s)/10+1, len(s))
		}
	case v.Kind() == reflect.Bool:
		text = strconv.FormatBool(v.Bool())
	case v.CanInt():
		text = strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		text = strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		switch f := v.Float(); {
		case math.IsNaN(f):
			return "math.NaN()"
		case math.IsInf(f, 0):
			return fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, f)))
		default:
			text = strconv.FormatFloat(f, 'g', -1, 64)
		}
	default:
		text = fmt.Sprint(v.Complex())
	}
	if t.Name() != t.Kind().String() {
		return m.name(t) + "(" + text + ")"
	}
	return text
}

// value draws one of a type, with its source.
func (m *maker) value(t reflect.Type, depth int) (reflect.Value, string) {
	m.values++
	zero := reflect.Zero(t)
	switch t {
	case errorType:
		return m.err()
	case contextType:
		return reflect.ValueOf(context.Background()), "context.Background()"
	case readerType:
		s := m.text()
		return reflect.ValueOf(strings.NewReader(s)), "strings.NewReader(" + strconv.Quote(s) + ")"
	case writerType:
		return reflect.ValueOf(&bytes.Buffer{}), "&bytes.Buffer{}"
	case timeType:
		n := []int64{0, 1, 86399, 951782400, 1709164800, 1735689599, 4102444800}[m.below(7)] + m.integer()%100000
		return reflect.ValueOf(time.Unix(n, 0).UTC()), fmt.Sprintf("time.Unix(%d, 0).UTC()", n)
	case bufferType, builderType:
		return zero, m.name(t) + "{}"
	}
	if list := m.set.makersOf(t); len(list) > 0 && (m.chance(80) || m.why2(t)) {
		for range 3 {
			if v, text, ok := m.made(t, list[m.below(len(list))], depth); ok {
				return v, text
			}
		}
	}
	if depth > deepest || m.values > largest {
		return zero, m.zero(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		v := reflect.New(t).Elem()
		v.SetBool(m.chance(50))
		return v, m.literal(v)
	case reflect.String:
		v := reflect.New(t).Elem()
		v.SetString(m.text())
		return v, m.literal(v)
	case reflect.Float32, reflect.Float64:
		v := reflect.New(t).Elem()
		v.SetFloat(m.float())
		return v, m.literal(v)
	case reflect.Complex64, reflect.Complex128:
		v := reflect.New(t).Elem()
		v.SetComplex(complex(m.float(), m.float()))
		return v, m.literal(v)
	case reflect.Pointer:
		return m.pointer(t, depth)
	case reflect.Slice, reflect.Array:
		return m.list(t, depth)
	case reflect.Map:
		return m.table(t, depth)
	case reflect.Struct:
		return m.fill(t, depth)
	case reflect.Func:
		return m.function(t)
	case reflect.Interface:
		return m.implementation(t, depth)
	case reflect.Chan, reflect.UnsafePointer:
		return zero, "nil"
	}
	v := reflect.New(t).Elem()
	x := m.integer()
	if t.Kind() == reflect.Int32 && m.chance(70) { // it may be a letter
		r := []rune(m.text() + "a")
		x = int64(r[m.below(len(r))])
	}
	m.setInteger(v, x)
	return v, m.literal(v)
}

// why2 reports whether a type comes from its makers alone.
func (m *maker) why2(t reflect.Type) bool {
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

var errDrawn = errors.New("drawn")

func (m *maker) err() (reflect.Value, string) {
	v := reflect.New(errorType).Elem()
	switch m.below(4) {
	case 0:
		v.Set(reflect.ValueOf(errDrawn))
		return v, `errors.New("drawn")`
	case 1:
		v.Set(reflect.ValueOf(io.EOF))
		return v, "io.EOF"
	case 2:
		if n := len(m.set.Errors); n > 0 {
			e := m.set.Errors[m.below(n)]
			if err, ok := e.Value.(error); ok && err != nil {
				v.Set(reflect.ValueOf(err))
				return v, e.Name
			}
		}
	}
	return v, "nil"
}

// made calls a function that returns the type, and then some of its methods.
func (m *maker) made(t reflect.Type, f Function, depth int) (reflect.Value, string, bool) {
	if depth > deepest || m.values > largest {
		return reflect.Value{}, "", false
	}
	results, text, ok := m.called(f, depth)
	if !ok {
		return reflect.Value{}, "", false
	}
	if last := results[len(results)-1]; len(results) > 1 && (last.Type() == errorType && !last.IsNil() || last.Kind() == reflect.Bool && !last.Bool()) {
		return reflect.Value{}, "", false
	}
	v := results[0]
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return reflect.Value{}, "", false
	}
	m.names++
	name := fmt.Sprintf("x%d", m.names)
	left := name
	for range len(results) - 1 {
		left += ", _"
	}
	m.before = append(m.before, left+" := "+text)
	p := v
	if v.Kind() != reflect.Pointer {
		p = reflect.New(v.Type())
		p.Elem().Set(v)
	}
	m.steps(p, name, depth)
	switch {
	case t.Kind() == reflect.Pointer && v.Kind() != reflect.Pointer:
		return p, "&" + name, true
	case t.Kind() != reflect.Pointer && v.Kind() == reflect.Pointer:
		return p.Elem(), "*" + name, true
	case v.Kind() != reflect.Pointer:
		return p.Elem(), name, true
	}
	return p, name, true
}

// steps calls some methods on a new value.
func (m *maker) steps(p reflect.Value, name string, depth int) {
	var list []Function
	for _, f := range m.set.Steps {
		if in := reflect.TypeOf(f.Func).In(0); in == p.Type() || in == p.Type().Elem() {
			list = append(list, f)
		}
	}
	if len(list) == 0 || depth > 1 {
		return
	}
	more := m.below(7)
	if m.chance(15) {
		more = 20
	}
	for range more {
		f := list[m.below(len(list))]
		again := m.dice
		for range 1 + m.below(5)*m.below(2) { // what works once may work again
			was := m.dice
			m.dice = again
			done := m.step(p, f, name, depth)
			m.dice = was
			if !done {
				break
			}
		}
		m.next()
	}
}

// step calls a method on a new value.
func (m *maker) step(p reflect.Value, f Function, name string, depth int) bool {
	receiver := p
	if reflect.TypeOf(f.Func).In(0) != p.Type() {
		receiver = p.Elem()
	}
	at := len(m.before)
	m.before = append(m.before, "")
	_, text, ok := m.called(f, depth+1, receiver)
	m.before = slices.Delete(m.before, at, at+1)
	if ok {
		_, method, _ := strings.Cut(f.Name, ").")
		m.before = append(m.before, name+"."+method+text)
	}
	return ok
}

// called calls a function with drawn arguments behind those given, and gives the source
// of the call; that of a method is its arguments alone.
func (m *maker) called(f Function, depth int, given ...reflect.Value) ([]reflect.Value, string, bool) {
	t := reflect.TypeOf(f.Func)
	args := slices.Clone(given)
	var texts []string
	for n := len(given); n < t.NumIn(); n++ {
		if m.why(t.In(n)) != "" {
			return nil, "", false
		}
		v, text := m.value(t.In(n), depth+1)
		if t.IsVariadic() && n == t.NumIn()-1 && text != "nil" {
			text += "..."
		}
		args, texts = append(args, v), append(texts, text)
	}
	var results []reflect.Value
	if caught(func() {
		fn := reflect.ValueOf(f.Func)
		if t.IsVariadic() {
			results = fn.CallSlice(args)
		} else {
			results = fn.Call(args)
		}
	}) != "" {
		return nil, "", false
	}
	text := "(" + strings.Join(texts, ", ") + ")"
	if len(given) == 0 {
		text = f.Name + text
	}
	return results, text, true
}

func (m *maker) pointer(t reflect.Type, depth int) (reflect.Value, string) {
	e := t.Elem()
	if e == bufferType {
		s := m.text()
		return reflect.ValueOf(bytes.NewBufferString(s)), "bytes.NewBufferString(" + strconv.Quote(s) + ")"
	}
	if depth > 0 && m.chance(20) || depth == deepest {
		return reflect.Zero(t), "nil"
	}
	v, text := m.value(e, depth+1)
	p := reflect.New(e)
	p.Elem().Set(v)
	if m.set.own(e) && e.Kind() == reflect.Struct && depth < 2 && m.chance(50) {
		at := len(m.before)
		m.before = append(m.before, "")
		m.names++
		name := fmt.Sprintf("x%d", m.names)
		m.steps(p, name, depth)
		if len(m.before) == at+1 {
			m.before = m.before[:at]
		} else {
			m.before[at] = name + " := &" + text
			return p, name
		}
	}
	switch {
	case e.Kind() == reflect.Struct || e.Kind() == reflect.Slice || e.Kind() == reflect.Map || e.Kind() == reflect.Array:
		return p, "&" + text
	}
	return p, "new(" + text + ")"
}

func (m *maker) list(t reflect.Type, depth int) (reflect.Value, string) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && m.chance(85) {
		s := m.text()
		return reflect.ValueOf([]byte(s)).Convert(t), m.name(t) + "(" + strconv.Quote(s) + ")"
	}
	n := 0
	var v reflect.Value
	if t.Kind() == reflect.Array {
		n, v = t.Len(), reflect.New(t).Elem()
	} else {
		if m.chance(4) {
			return reflect.Zero(t), "nil"
		}
		most := 300
		if depth > 0 {
			most = 12
		}
		n = m.size(most)
		v = reflect.MakeSlice(t, n, n)
	}
	texts := make([]string, n)
	for i := range n {
		var e reflect.Value
		e, texts[i] = m.value(t.Elem(), depth+1)
		v.Index(i).Set(e)
		if len(texts[i]) > 0 && t.Elem().Kind() == reflect.Struct {
			texts[i] = strings.TrimPrefix(texts[i], m.name(t.Elem()))
		}
		if t.Elem().Kind() != reflect.Interface {
			texts[i] = bare(texts[i], m.name(t.Elem()))
		}
	}
	return v, m.name(t) + "{" + strings.Join(texts, ", ") + "}"
}

// bare is a literal without the conversion to its type, where the place says it.
func bare(text, name string) string {
	if inner, ok := strings.CutPrefix(text, name+"("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	return text
}

func (m *maker) table(t reflect.Type, depth int) (reflect.Value, string) {
	if m.chance(4) {
		return reflect.Zero(t), "nil"
	}
	v := reflect.MakeMap(t)
	var texts []string
	for range m.size(20) {
		var k, e reflect.Value
		var kt, et string
		p := caught(func() {
			k, kt = m.value(t.Key(), depth+1)
			e, et = m.value(t.Elem(), depth+1)
			if v.MapIndex(k).IsValid() {
				k = reflect.Value{}
				return
			}
			v.SetMapIndex(k, e)
		})
		if p != "" || !k.IsValid() {
			continue
		}
		if t.Key().Kind() != reflect.Interface {
			kt = bare(kt, m.name(t.Key()))
		}
		if t.Elem().Kind() != reflect.Interface {
			et = bare(et, m.name(t.Elem()))
		}
		texts = append(texts, kt+": "+et)
	}
	return v, m.name(t) + "{" + strings.Join(texts, ", ") + "}"
}

// fill sets the fields of a struct, often not all of them.
func (m *maker) fill(t reflect.Type, depth int) (reflect.Value, string) {
	v := reflect.New(t).Elem()
	var texts []string
	if depth > 0 || m.chance(90) {
		for _, i := range m.set.fields(t) {
			f := t.Field(i)
			if m.why(f.Type) != "" || m.set.internal(f.Type) || m.chance(15) {
				continue
			}
			e, text := m.value(f.Type, depth+1)
			if text == "nil" {
				continue
			}
			to := v.Field(i)
			if !f.IsExported() {
				to = reflect.NewAt(f.Type, unsafe.Pointer(to.UnsafeAddr())).Elem()
			}
			to.Set(e)
			if f.Type.Kind() != reflect.Interface {
				text = bare(text, m.name(f.Type))
			}
			texts = append(texts, f.Name+": "+text)
		}
	}
	return v, m.name(t) + "{" + strings.Join(texts, ", ") + "}"
}

// internal reports whether a type belongs to the machinery of the language, whose zero
// value is the one to begin with.
func (s *Set) internal(t reflect.Type) bool {
	return t.PkgPath() == "sync" || t.PkgPath() == "sync/atomic" || t == bufferType || t == builderType
}

// function is one that writes down what it is called with and returns drawn values.
func (m *maker) function(t reflect.Type) (reflect.Value, string) {
	if t.NumOut() > 0 && m.chance(5) {
		return reflect.Zero(t), "nil"
	}
	seed := m.next()
	v := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		w := &writer{set: m.set}
		said, key := "", ""
		for _, a := range args {
			key += w.whole(a) + ", "
		}
		if said = strings.TrimSuffix(key, ", "); len(m.told) < 20 {
			m.told = append(m.told, said)
		}
		// The same arguments give the same answer, as of a function of mathematics.
		answer := &maker{set: m.set, dice: newDice(key, int(seed)), makeable: m.makeable, values: largest - 20, small: true}
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			x, _ := answer.value(t.Out(i), 3)
			out[i] = reflect.New(t.Out(i)).Elem()
			out[i].Set(x)
		}
		return out
	})
	return v, fmt.Sprintf("/* a drawn %s */", m.name(t))
}

// implementation is a value that fits an interface.
func (m *maker) implementation(t reflect.Type, depth int) (reflect.Value, string) {
	out := reflect.New(t).Elem()
	put := func(v any, text string) (reflect.Value, string) {
		out.Set(reflect.ValueOf(v))
		return out, text
	}
	if t.NumMethod() == 0 {
		switch m.below(6) {
		case 0:
			return out, "nil"
		case 1:
			return put(m.chance(50), "true or false")
		case 2:
			f := m.float()
			return put(f, m.literal(reflect.ValueOf(f)))
		case 3:
			s := m.text()
			return put(s, strconv.Quote(s))
		case 4:
			n := int(m.integer())
			return put(n, strconv.Itoa(n))
		}
		v, text := m.value(reflect.TypeOf([]string{}), depth+1)
		return put(v.Interface(), text)
	}
	list := m.set.implementers(t)
	list = slices.DeleteFunc(list, func(o reflect.Type) bool { return m.why(o) != "" })
	if len(list) > 0 {
		v, text := m.value(list[m.below(len(list))], depth+1)
		out.Set(v)
		return out, text
	}
	switch s := m.text(); {
	case stringer.Implements(t):
		d := time.Duration(m.integer())
		return put(d, fmt.Sprintf("time.Duration(%d)", int64(d)))
	case reflect.TypeOf(&bytes.Buffer{}).Implements(t):
		return put(bytes.NewBufferString(s), "bytes.NewBufferString("+strconv.Quote(s)+")")
	case reflect.TypeOf(strings.NewReader("")).Implements(t):
		return put(strings.NewReader(s), "strings.NewReader("+strconv.Quote(s)+")")
	}
	return out, "nil"
}
