package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
)

// redactor removes credentials from recordings.
type redactor struct {
	text func(string) string
}

// headers returns the listed headers.
func (r redactor) headers(all http.Header, list ...string) http.Header {
	out := http.Header{}
	for _, name := range list {
		if v := all.Get(name); v != "" {
			out.Set(name, r.text(v))
		}
	}
	return out
}

// escaped matches an ASCII character that JSON escapes without need.
var escaped = regexp.MustCompile(`\\(?:u00[2-7][0-9a-fA-F]|/)`)

// unescaped returns the text without such escapes.
func unescaped(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(e string) string {
		if e == `\/` {
			return "/"
		}
		n, err := strconv.ParseUint(e[2:], 16, 8)
		if err != nil {
			return e
		}
		return string(rune(n))
	})
}

// maxHidden bounds the levels of nested escapes.
const maxHidden = 4

// body returns a body without credentials, including those hidden by escapes. A body
// without any keeps its bytes.
func (r redactor) body(text string) string { return r.shown(text, maxHidden) }

func (r redactor) shown(text string, depth int) string {
	text = r.text(text)
	plain := text
	for range depth {
		if plain = unescaped(plain); r.text(plain) == plain {
			continue
		}
		if v, ok := decode([]byte(text)); ok {
			return r.text(string(encode(r.value(v, depth-1))))
		}
		return r.shown(plain, depth-1)
	}
	return text
}

// value scrubs every string of decoded JSON.
func (r redactor) value(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return r.shown(v, depth)
	case []any:
		for i := range v {
			v[i] = r.value(v[i], depth)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[r.shown(k, depth)] = r.value(inner, depth)
		}
		return out
	}
	return v
}

// decode decodes one JSON value without converting its numbers.
func decode(text []byte) (any, bool) {
	if !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

// canonical returns a body in the form for comparison: JSON with sorted members and
// without blanks, anything else unchanged.
func canonical(body []byte) string {
	if v, ok := decode(body); ok {
		return string(encode(v))
	}
	return string(body)
}
