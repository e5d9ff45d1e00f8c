package authored

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// These are the limits on a definition, in bytes unless stated otherwise.
const (
	MaxSource      = 8 << 10
	MaxManifest    = 64 << 10
	maxDescription = 500
	maxSchema      = 8 << 10
	maxDomains     = 16
	minTests       = 2 // how many
	maxTests       = 20
	maxTestName    = 80
	maxTestValue   = 4 << 10 // arguments or result of one test
	maxWantError   = 200
)

// Definition is a tool as its author wrote it. [Parse] and [ParseDraft] return valid
// definitions, but the source may still fail to compile, which [Pool.Check] detects.
type Definition struct {
	Name        string
	Description string
	// Schema is the JSON schema of the arguments, which form an object.
	Schema json.RawMessage
	// Domains are the domains that the tool is made for.
	Domains []string
	Tests   []Test
	// Source is Starlark, at most MaxSource bytes of printable ASCII.
	Source string
}

// Test is one call with its expected result: a value or an error.
type Test struct {
	Name string `json:"name"`
	// Args is a JSON object.
	Args json.RawMessage `json:"args"`
	// Want is the JSON value that run must return, which may be a referral.
	Want json.RawMessage `json:"want,omitempty"`
	// WantError is a part of the expected error's text.
	WantError string `json:"want_error,omitempty"`
}

var (
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	domainForm = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,47}$`)
)

// validate returns every fault in a definition.
func (d Definition) validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !nameForm.MatchString(d.Name) {
		wrong("the name %q is not a lower-case word of at most 48 letters, digits and underscores", head(d.Name, maxTestName))
	} else if Reserved(d.Name) {
		wrong("the name %q belongs to a built-in tool", d.Name)
	}
	switch {
	case strings.TrimSpace(d.Description) == "":
		wrong("there is no description")
	case len(d.Description) > maxDescription || !printable(d.Description):
		wrong("the description is not one line of at most %d bytes", maxDescription)
	}
	if err := checkSchema(d.Schema); err != nil {
		errs = append(errs, err)
	}
	if len(d.Domains) > maxDomains {
		wrong("%d domains, but at most %d are allowed", len(d.Domains), maxDomains)
	}
	for _, domain := range d.Domains {
		if !domainForm.MatchString(domain) {
			wrong("the domain %q is not a lower-case word", head(domain, maxTestName))
		}
	}
	if err := checkSource(d.Source); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, checkTests(d.Tests)...)...)
}

// checkSource refuses characters that a person could not read. Other errors are found when
// a child compiles the source.
func checkSource(source string) error {
	if strings.TrimSpace(source) == "" {
		return errors.New("the source is empty")
	}
	if len(source) > MaxSource {
		return fmt.Errorf("the source has %d bytes, but at most %d are allowed", len(source), MaxSource)
	}
	line := 1
	for i := range len(source) {
		switch c := source[i]; {
		case c == '\n':
			line++
		case c != '\t' && (c < ' ' || c > '~'):
			return fmt.Errorf("line %d of the source contains the byte 0x%02x: only printable ASCII is allowed; write other characters as \\uXXXX", line, c)
		}
	}
	return nil
}

func checkTests(tests []Test) []error {
	var errs []error
	if n := len(tests); n < minTests || n > maxTests {
		errs = append(errs, fmt.Errorf("%d tests, but between %d and %d are needed", n, minTests, maxTests))
	}
	seen := map[string]bool{}
	values := 0
	for i, t := range tests {
		switch {
		case t.Name == "" || len(t.Name) > maxTestName || !printable(t.Name):
			errs = append(errs, fmt.Errorf("the name of test %d is not one line of at most %d bytes", i+1, maxTestName))
		case seen[t.Name]:
			errs = append(errs, fmt.Errorf("test %q occurs twice", t.Name))
		case len(t.Args) == 0 || t.Args[0] != '{':
			errs = append(errs, fmt.Errorf("test %q must have an object as its arguments", t.Name))
		case len(t.Args) > maxTestValue || len(t.Want) > maxTestValue || len(t.WantError) > maxWantError:
			errs = append(errs, fmt.Errorf("test %q is too large: a value may have at most %d bytes, and an error at most %d", t.Name, maxTestValue, maxWantError))
		case (len(t.Want) > 0) == (t.WantError != ""):
			errs = append(errs, fmt.Errorf("test %q must expect either a value or an error", t.Name))
		}
		seen[t.Name] = true
		if len(t.Want) > 0 {
			values++
		}
	}
	if values == 0 {
		errs = append(errs, errors.New("no test expects a value"))
	}
	return errs
}

// printable reports whether text is one line without control characters or invisible
// formatting characters, which could mislead a person who reads it.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// head shortens text to at most n bytes for a message; if the cut falls inside a character,
// that character is dropped.
func head(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }
