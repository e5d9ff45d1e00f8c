package harness

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// made makes a value of a type by calling a function that returns the type, and then some
// of the type's methods.
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
		for range 1 + m.below(5)*m.below(2) { // call the method again with the same arguments if it succeeded
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

// called calls a function with the given arguments, followed by drawn arguments, and
// returns the results and the source of the call. If arguments are given, as the receiver
// of a method is, it returns only the source of the drawn arguments.
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

// sourced returns an argument that another function of the package returned. If that
// function is a method, it is called on the receiver of f.
func (m *maker) sourced(f Function, t reflect.Type, args []reflect.Value, texts []string) (reflect.Value, string, bool) {
	var list []Function
	for _, s := range m.set.Sources {
		made := reflect.TypeOf(s.Func)
		method := strings.HasPrefix(s.Name, "(")
		if s.Name != f.Name && made.Out(0).ConvertibleTo(t) && made.Out(0).Kind() == t.Kind() && (!method || len(args) > 0 && made.In(0) == args[0].Type()) {
			list = append(list, s)
		}
	}
	if len(list) == 0 || !m.chance(35) {
		return reflect.Value{}, "", false
	}
	s := list[m.below(len(list))]
	var given []reflect.Value
	if strings.HasPrefix(s.Name, "(") {
		given = args[:1]
	}
	results, text, ok := m.called(s, 1, given...)
	if !ok {
		return reflect.Value{}, "", false
	}
	if last := results[len(results)-1]; last.Type() == errorType && !last.IsNil() {
		return reflect.Value{}, "", false
	}
	if len(given) > 0 {
		_, method, _ := strings.Cut(s.Name, ").")
		text = operand(texts[0]) + "." + method + text
	}
	if t != results[0].Type() {
		text = m.name(t) + "(" + text + ")"
	}
	return results[0].Convert(t), text, true
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

// bare returns a literal without the conversion to its type, for use in a context that
// determines the type.
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

// fill returns a struct with most of its fields set to drawn values.
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

// function returns a function that records its arguments and returns drawn values.
func (m *maker) function(t reflect.Type) (reflect.Value, string) {
	if t.NumOut() > 0 && m.chance(5) {
		return reflect.Zero(t), "nil"
	}
	seed := m.next()
	v := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		w := &writer{set: m.set}
		call, key := "", ""
		for _, a := range args {
			key += w.whole(a) + ", "
		}
		if call = strings.TrimSuffix(key, ", "); len(m.callbacks) < 20 {
			m.callbacks = append(m.callbacks, call)
		}
		// Calls with the same arguments always return the same values.
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

// implementation returns a value that implements an interface.
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
