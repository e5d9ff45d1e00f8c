package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// The limits on one input.
const (
	deepest = 5    // levels of nested values
	largest = 1500 // values in total
)

// maker draws the input of one call.
type maker struct {
	dice
	set   *Set
	small bool
	// ints, texts and times hold values drawn for this input, which may be used again.
	ints  []int64
	texts []string
	times []int64
	// before holds the statements that precede the call. names counts the variables in
	// them, and values counts all values made so far.
	before []string
	names  int
	values int
	// callbacks records the calls to functions that were passed as arguments.
	callbacks []string
	// makeable caches, for each type, the reason why its values cannot be made, or "" if
	// they can.
	makeable map[reflect.Type]string
}

func newMaker(set *Set) *maker { return &maker{set: set, makeable: map[reflect.Type]string{}} }

// begin seeds the dice for one input of a function.
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

// input draws the arguments for a function and returns them with the source of the call.
func (m *maker) input(f Function, i int) ([]reflect.Value, string) {
	t := reflect.TypeOf(f.Func)
	receiver := strings.HasPrefix(f.Name, "(")
	var args []reflect.Value
	var texts []string
	for n := range t.NumIn() {
		in := t.In(n)
		v, text, ok := m.listed(in, i, n, t.NumIn())
		if !ok {
			if v, text, ok = m.sourced(f, in, args, texts); !ok {
				v, text = m.value(in, 0)
			}
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

// operand returns the source of a receiver in a form on which a method can be called.
func operand(text string) string {
	if strings.HasPrefix(text, "&") {
		return "(" + text + ")"
	}
	return text
}

// listed returns the value for parameter n of input i if that value comes from the lists
// of values to try, and false if it must be drawn. Only the first inputs have a listed
// value, each for at most one parameter; the parameters take turns.
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

// literal returns the source of a value of a basic kind.
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

// value draws a value of a type and returns it with its source.
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
		if n := m.large(); n > 0 && s != "" { // long enough to exceed a limit on the length of what is read
			s += "\n"
			times := n/len(s) + 1
			return reflect.ValueOf(strings.NewReader(strings.Repeat(s, times))), fmt.Sprintf("strings.NewReader(strings.Repeat(%q, %d))", s, times)
		}
		return reflect.ValueOf(strings.NewReader(s)), "strings.NewReader(" + strconv.Quote(s) + ")"
	case writerType:
		return reflect.ValueOf(&bytes.Buffer{}), "&bytes.Buffer{}"
	case timeType:
		if len(m.times) > 0 && m.chance(40) { // use an earlier time again, so that comparisons find equal times
			n := m.times[m.below(len(m.times))] + []int64{0, 0, 1, -1, 60, 3600}[m.below(6)]
			return reflect.ValueOf(time.Unix(n, 0).UTC()), fmt.Sprintf("time.Unix(%d, 0).UTC()", n)
		}
		n := []int64{0, 1, 86399, 951782400, 1709164800, 1735689599, 4102444800}[m.below(7)] + m.integer()%100000
		if len(m.times) < 4 {
			m.times = append(m.times, n)
		}
		return reflect.ValueOf(time.Unix(n, 0).UTC()), fmt.Sprintf("time.Unix(%d, 0).UTC()", n)
	case bufferType, builderType:
		return zero, m.name(t) + "{}"
	}
	if list := m.set.makersOf(t); len(list) > 0 && (m.chance(80) || m.onlyMade(t)) {
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
	if t.Kind() == reflect.Int32 && m.chance(70) { // an int32 may be a character
		r := []rune(m.text() + "a")
		x = int64(r[m.below(len(r))])
	}
	m.setInteger(v, x)
	return v, m.literal(v)
}

// large occasionally returns a number from the source that exceeds the length of the other
// drawn texts; otherwise it returns 0.
func (m *maker) large() int {
	const least, most = 5000, 4 << 20
	var list []int
	for _, n := range m.set.Ints {
		if n > least && n <= most {
			list = append(list, int(n))
		}
	}
	if len(list) == 0 || m.small || !m.chance(5) {
		return 0
	}
	return list[m.below(len(list))]
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
