package skill

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on a skill.
const (
	MaxText     = 2000 // characters
	MaxFile     = 32 << 10
	maxShape    = 2000 // bytes
	maxEvidence = 200  // tasks
)

// Definition is a skill.
type Definition struct {
	// Name is a lower-case word. It is also the name of the skill's file without ".md".
	Name string
	// Domain is the domain in which the skill was seen; "_global" means all domains.
	Domain string
	// Shape is the common shape of the transcripts on which the skill is based.
	Shape string
	// Text is Markdown, at most MaxText characters.
	Text string
	// Evidence holds the ids of the tasks that were solved this way.
	Evidence []string
}

const globalDomain = "_global"

var (
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,79}$`)
	domainForm = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,47}$`)
	taskForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/#-]{0,119}$`)
)

// fields are the lines of the front matter, in order.
var fields = []string{"name", "domain", "shape", "evidence"}

const fence = "---"

// Encode returns the contents of the skill's file, which consists of front matter and text.
// Parse returns the same definition from them.
func (d Definition) Encode() []byte {
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	for i, v := range []string{d.Name, d.Domain, d.Shape, strings.Join(d.Evidence, " ")} {
		fmt.Fprintf(&b, "%s: %s\n", fields[i], v)
	}
	b.WriteString(fence + "\n" + d.Text + "\n")
	return b.Bytes()
}

// Parse parses the contents of a skill's file. If the file is well-formed but has invalid
// fields, the error lists all of these fields.
func Parse(data []byte) (Definition, error) {
	if len(data) > MaxFile {
		return Definition{}, fmt.Errorf("skill has %d bytes, but at most %d are allowed", len(data), MaxFile)
	}
	if !utf8.Valid(data) {
		return Definition{}, errors.New("skill is not valid UTF-8")
	}
	rest, ok := strings.CutPrefix(string(data), fence+"\n")
	if !ok {
		return Definition{}, errors.New("skill has no front matter")
	}
	values := make([]string, len(fields))
	for i, field := range fields {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if values[i], ok = strings.CutPrefix(line, field+":"); !ok {
			return Definition{}, fmt.Errorf("line %d of the skill does not begin with \"%s:\"", i+2, field)
		}
		values[i] = strings.TrimSpace(values[i])
	}
	if rest, ok = strings.CutPrefix(rest, fence+"\n"); !ok {
		return Definition{}, fmt.Errorf("line %d of the skill must be \"---\", which ends the front matter", len(fields)+2)
	}
	d := Definition{
		Name: values[0], Domain: values[1], Shape: values[2],
		Evidence: strings.Fields(values[3]), Text: strings.TrimSpace(rest),
	}
	if err := d.validate(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

func (d Definition) validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !nameForm.MatchString(d.Name) {
		wrong("the skill's name is not a lower-case word of at most 80 letters, digits, - and _")
	}
	if !domainForm.MatchString(d.Domain) {
		wrong("the skill's domain is not a lower-case word")
	}
	if d.Shape == "" || len(d.Shape) > maxShape || strings.ContainsFunc(d.Shape, unprintable) {
		wrong("the skill's shape is not one line of at most %d bytes", maxShape)
	}
	if n := utf8.RuneCountInString(d.Text); n == 0 || n > MaxText {
		wrong("the skill's text has %d characters, but between 1 and %d are allowed", n, MaxText)
	}
	if !utf8.ValidString(d.Text) || strings.ContainsFunc(d.Text, func(r rune) bool { return r != '\n' && r != '\t' && unprintable(r) }) {
		wrong("the skill's text contains invisible characters")
	}
	if len(d.Evidence) > maxEvidence {
		wrong("the skill names %d tasks, but at most %d are allowed", len(d.Evidence), maxEvidence)
	}
	for i, id := range d.Evidence {
		if !taskForm.MatchString(id) {
			wrong("entry %d of the skill's evidence is not the id of a task", i+1)
		}
	}
	return errors.Join(errs...)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
