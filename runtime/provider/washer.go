package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
)

// washer takes credentials out of what is recorded.
type washer struct {
	text func(string) string
}

// headers keeps those of the list.
func (w washer) headers(all http.Header, list ...string) http.Header {
	out := http.Header{}
	for _, name := range list {
		if v := all.Get(name); v != "" {
			out.Set(name, w.text(v))
		}
	}
	return out
}

// escaped is a character of ASCII as JSON may write it without need.
var escaped = regexp.MustCompile(`\\(?:u00[2-7][0-9a-fA-F]|/)`)

// unescaped is the text without such escapes.
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

// maxHidden bounds how often a text may be escaped in itself.
const maxHidden = 4

// body is a body without credentials, those included that were written with escapes
// to hide them. One that hides nothing keeps its bytes.
func (w washer) body(text string) string { return w.shown(text, maxHidden) }

func (w washer) shown(text string, depth int) string {
	text = w.text(text)
	plain := text
	for range depth {
		if plain = unescaped(plain); w.text(plain) == plain {
			continue
		}
		if v, ok := decode([]byte(text)); ok {
			return w.text(string(encode(w.value(v, depth-1))))
		}
		return w.shown(plain, depth-1)
	}
	return text
}

// value cleans every string of decoded JSON.
func (w washer) value(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return w.shown(v, depth)
	case []any:
		for i := range v {
			v[i] = w.value(v[i], depth)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[w.shown(k, depth)] = w.value(inner, depth)
		}
		return out
	}
	return v
}

// decode reads one JSON value, its numbers as they stand.
func decode(text []byte) (any, bool) {
	if !json.Valid(text) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

// canonical is a body by which requests are compared: JSON without the order of its
// members and without blanks, anything else as it is.
func canonical(body []byte) string {
	if v, ok := decode(body); ok {
		return string(encode(v))
	}
	return string(body)
}
