package render

import (
	"encoding/json"
	"strconv"
	"strings"

	"evolve/runtime/text"
)

// field is one value in a JSON document, with its path in the document, such as
// address.lines[0].
type field struct{ Path, Value string }

// outline returns the values, in order, of the JSON object or array with which a text
// begins, and the text that follows this document. If the document was cut short, the list
// ends with an ellipsis. ok is false for a text that does not begin with a JSON object or
// array.
func outline(s string) (fields []field, rest string, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '{' && s[0] != '[' {
		return nil, s, false
	}
	o := outliner{decoder: json.NewDecoder(strings.NewReader(s))}
	o.decoder.UseNumber()
	if err := o.value(""); err != nil {
		if !strings.HasSuffix(s, "…") || len(o.fields) == 0 {
			return nil, s, false
		}
		return append(o.fields, field{"", "…"}), "", true
	}
	return o.fields, s[o.decoder.InputOffset():], true
}

type outliner struct {
	decoder *json.Decoder
	fields  []field
}

// value reads the next value, whose path in the document is given, and appends its fields.
func (o *outliner) value(path string) error {
	token, err := o.decoder.Token()
	if err != nil {
		return err
	}
	first := len(o.fields)
	switch token {
	case json.Delim('{'):
		for o.decoder.More() {
			key, err := o.decoder.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			if path != "" {
				name = path + "." + name
			}
			if err := o.value(name); err != nil {
				return err
			}
		}
	case json.Delim('['):
		simple, items := true, []string{}
		for i := 0; o.decoder.More(); i++ {
			at := len(o.fields)
			name := path + "[" + strconv.Itoa(i) + "]"
			if err := o.value(name); err != nil {
				return err
			}
			if simple = simple && len(o.fields) == at+1 && o.fields[at].Path == name && !strings.ContainsAny(o.fields[at].Value, "\n·"); simple {
				items = append(items, o.fields[at].Value)
			}
		}
		if simple && len(items) > 0 && path != "" {
			o.fields = append(o.fields[:first], field{path, strings.Join(items, " · ")})
		}
	default:
		o.fields = append(o.fields, field{path, scalar(token)})
		return nil
	}
	if _, err := o.decoder.Token(); err != nil { // the end of the object or array
		return err
	}
	if len(o.fields) == first {
		o.fields = append(o.fields, field{path, "(empty)"})
	}
	return nil
}

// scalar formats a single value. A string that looks like another kind of value is put in
// quotes, to distinguish it from a value of that kind.
func scalar(token json.Token) string {
	switch v := token.(type) {
	case string:
		if v == "" || json.Valid([]byte(v)) {
			return strconv.Quote(v)
		}
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	return "null"
}

// readable returns a text in a form that people can read: a JSON document with one value on
// each line, and any other text unchanged.
func readable(s string) string {
	fields, rest, ok := outline(s)
	if !ok {
		return s
	}
	lines := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		line := strings.ReplaceAll(f.Value, "\n", "\n  ")
		if f.Path != "" {
			line = f.Path + ": " + line
		}
		lines = append(lines, line)
	}
	if rest = strings.TrimSpace(strings.TrimPrefix(rest, ";")); rest != "" {
		lines = append(lines, rest)
	}
	return strings.Join(lines, "\n")
}

// Readable returns foreign text in a form that people can read: a JSON document with one
// value on each line, preceded by the value's path, and any other text unchanged. It
// escapes nothing.
func Readable(s string) string { return readable(s) }

// lined makes a span of at most n characters from untrusted text and preserves its line
// breaks.
func lined(s string, n int) span {
	if ended := strings.TrimRight(s, "\r\n"); ended != "" {
		s = ended
	}
	s = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(s)
	return span{Text: text.VisibleLines(text.Clip(s, n, text.Runes, text.Ellipsis)), Foreign: true}
}

// request separates the goal of a task from the JSON input that follows it on a separate
// line.
func request(goal string) (words string, input []field) {
	at := strings.LastIndex(goal, "\n{")
	if at < 0 {
		return goal, nil
	}
	fields, rest, ok := outline(goal[at+1:])
	if !ok || strings.TrimSpace(rest) != "" {
		return goal, nil
	}
	return goal[:at], fields
}

// lines returns the fields as text, one on each line.
func lines(fields []field) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.Path + ": " + strings.ReplaceAll(f.Value, "\n", "\n  ") + "\n")
	}
	return b.String()
}
