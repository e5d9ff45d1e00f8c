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

// headers returns the listed headers with credentials removed from their values.
func (r redactor) headers(all http.Header, list ...string) http.Header {
	out := http.Header{}
	for _, name := range list {
		if v := all.Get(name); v != "" {
			out.Set(name, r.text(v))
		}
	}
	return out
}

// escaped matches an ASCII character that JSON escapes unnecessarily.
var escaped = regexp.MustCompile(`\\(?:u00[2-7][0-9a-fA-F]|/)`)

// unescaped returns the text without unnecessary escapes.
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

// maxHidden is the maximum depth to which nested escapes are resolved.
const maxHidden = 4

// body returns a body without credentials, including those disguised by escapes. A body
// that contains no credentials is returned unchanged.
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

// value removes the credentials from every string in decoded JSON, including the keys of
// objects.
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

// decode decodes a JSON value. Numbers keep their textual form.
func decode(text []byte) (any, bool) {
	if !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

// canonical returns a body in a form that can be compared: JSON with sorted members and
// without white space, and any other body unchanged.
func canonical(body []byte) string {
	if v, ok := decode(body); ok {
		return string(encode(v))
	}
	return string(body)
}
