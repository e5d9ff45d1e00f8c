package authored

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// manifest is a definition without its source, as stored in <name>.json.
type manifest struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Domains     []string        `json:"domains,omitempty"`
	Tests       []Test          `json:"tests"`
	// SHA256 is the hash of the source, in hexadecimal. It reveals a source that was
	// changed after its approval.
	SHA256 string `json:"sha256"`
}

// draft is a definition in one JSON object.
type draft struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Domains     []string        `json:"domains,omitempty"`
	Tests       []Test          `json:"tests"`
	Source      string          `json:"source"`
}

// Parse parses the two files of a tool, <name>.star and <name>.json. The error lists
// everything that is wrong.
func Parse(star, manifestJSON []byte) (Definition, error) {
	var m manifest
	if err := decode(manifestJSON, &m); err != nil {
		return Definition{}, fmt.Errorf("manifest: %w", err)
	}
	d := Definition{m.Name, m.Description, compact(m.Schema), m.Domains, compactTests(m.Tests), string(star)}
	if err := d.validate(); err != nil {
		return Definition{}, err
	}
	if m.SHA256 != d.Hash() {
		return Definition{}, fmt.Errorf("the manifest of %s was written for a different source: the sha256 of this source is %s", d.Name, d.Hash())
	}
	return d, nil
}

// ParseDraft parses a tool from one JSON object that holds the source along with the fields
// of the manifest. The error lists everything that is wrong.
func ParseDraft(data []byte) (Definition, error) {
	var m draft
	if err := decode(data, &m); err != nil {
		return Definition{}, fmt.Errorf("draft: %w", err)
	}
	d := Definition{m.Name, m.Description, compact(m.Schema), m.Domains, compactTests(m.Tests), m.Source}
	if err := d.validate(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// Encode returns the two files of the tool. Parse turns them back into the same definition.
func (d Definition) Encode() (star, manifestJSON []byte) {
	return []byte(d.Source), encode(manifest{d.Name, d.Description, d.Schema, d.Domains, d.Tests, d.Hash()})
}

// Draft returns the tool as one JSON object that ParseDraft accepts.
func (d Definition) Draft() []byte {
	return encode(draft(d))
}

// Hash returns the SHA-256 of the source in hexadecimal.
func (d Definition) Hash() string {
	sum := sha256.Sum256([]byte(d.Source))
	return hex.EncodeToString(sum[:])
}

// decode decodes one JSON object and refuses unknown fields.
func decode(data []byte, into any) error {
	if len(data) > MaxManifest {
		return fmt.Errorf("%d bytes, but at most %d are allowed", len(data), MaxManifest)
	}
	if !utf8.Valid(data) {
		return errors.New("it is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.New(head(err.Error(), maxWantError))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the JSON object")
	}
	return nil
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a definition that was not parsed cannot be written: %v", err))
	}
	return b.Bytes()
}

// compact removes white space, so a definition has only one form in memory.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

func compactTests(tests []Test) []Test {
	out := make([]Test, len(tests))
	for i, t := range tests {
		t.Args, t.Want = compact(t.Args), compact(t.Want)
		out[i] = t
	}
	return out
}
