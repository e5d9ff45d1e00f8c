package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Config assigns values to parameters by name. A value is a bool, an int64, a float64, a
// string or, for a subset, a []string sorted in declaration order. [Space.Default] and
// [Space.Parse] make a config. Treat it as immutable: change a copy made with
// [Config.Clone] instead.
type Config map[string]any

// ConfigID identifies a config: the first 128 bits of the SHA-256 of its
// canonical JSON, in hexadecimal.
type ConfigID string

// Short returns the first eight characters of the id, for display to people.
func (id ConfigID) Short() string {
	return string(id[:min(8, len(id))])
}

// Clone returns a deep copy.
func (c Config) Clone() Config {
	out := maps.Clone(c)
	for k, v := range out {
		if list, ok := v.([]string); ok {
			out[k] = slices.Clone(list)
		}
	}
	return out
}

// Canonical returns the config as JSON with sorted keys, no white space, no HTML escapes
// and the shortest number form that parses to the same value. Equal configs have equal
// canonical forms. Canonical panics for NaN and infinities, which have no such form and
// which no space allows.
func (c Config) Canonical() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(c)) {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(&b, k)
		b.WriteByte(':')
		writeJSON(&b, c[k])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// MarshalJSON returns the canonical form.
func (c Config) MarshalJSON() ([]byte, error) {
	for k, v := range c {
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return nil, fmt.Errorf("parameter %q is not a finite number", k)
		}
	}
	return c.Canonical(), nil
}

// UnmarshalJSON decodes values without a space: whole numbers become int64, other numbers
// float64, and arrays []string. [Space.Parse] converts them to their declared types.
func (c *Config) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var raw map[string]any
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	out := make(Config, len(raw))
	for k, v := range raw {
		n, err := normalize(v)
		if err != nil {
			return fmt.Errorf("parameter %q: %w", k, err)
		}
		out[k] = n
	}
	*c = out
	return nil
}

// ID returns the config's [ConfigID].
func (c Config) ID() ConfigID {
	sum := sha256.Sum256(c.Canonical())
	return ConfigID(hex.EncodeToString(sum[:16]))
}

// Equal reports whether both configs have the same canonical form.
func (c Config) Equal(d Config) bool {
	return bytes.Equal(c.Canonical(), d.Canonical())
}

// String returns the value of a string parameter, or "" if it is absent or has another
// type.
func (c Config) String(name string) string {
	s, _ := c[name].(string)
	return s
}

// Float returns the value of a numeric parameter, or def if it is absent.
func (c Config) Float(name string, def float64) float64 {
	switch v := c[name].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return def
}

// Int returns the value of a whole-number parameter, or def if it is absent.
func (c Config) Int(name string, def int) int {
	switch v := c[name].(type) {
	case int64:
		return int(v)
	case float64:
		return int(v)
	}
	return def
}

// Bool returns the value of a bool parameter, or def if it is absent.
func (c Config) Bool(name string, def bool) bool {
	if b, ok := c[name].(bool); ok {
		return b
	}
	return def
}

// List returns the value of a subset parameter, and reports whether it is set.
func (c Config) List(name string) ([]string, bool) {
	v, ok := c[name].([]string)
	return v, ok
}

func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if list, ok := v.([]string); ok && list == nil {
		v = []string{}
	}
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a config value has no canonical form: %v", err))
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
}

// normalize turns a decoded JSON or YAML value into one of the types of a Config.
func normalize(v any) (any, error) {
	switch v := v.(type) {
	case bool, int64, float64, string:
		return v, nil
	case int:
		return int64(v), nil
	case uint64:
		if v > math.MaxInt64 {
			return float64(v), nil
		}
		return int64(v), nil
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			if n, err := v.Int64(); err == nil {
				return n, nil
			}
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("number %s is out of range", v)
		}
		return f, nil
	case []string:
		return v, nil
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("list item %d is not a string", i+1)
			}
			list[i] = s
		}
		return list, nil
	case nil:
		return nil, fmt.Errorf("is null")
	}
	return nil, fmt.Errorf("has a type that no parameter can have")
}
