package grade

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	violation "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	foreign "evolve/runtime/text"
)

// jsonSchema passes when the JSON in the answer is valid under the schema. References to
// other documents are refused: nothing named in a task is opened or fetched.
func jsonSchema(b *builder) scorer {
	if !b.has("schema") {
		b.problem("", "needs %q", "schema")
		return nil
	}
	doc, err := readJSON(string(b.fields["schema"]))
	if err != nil {
		b.problem("schema", "%v", err)
		return nil
	}
	const name = "task:///schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(name, doc); err != nil {
		b.problem("schema", "the schema is not valid: %s", oneLine(err))
		return nil
	}
	schema, err := c.Compile(name)
	if err != nil {
		b.problem("schema", "the schema is not valid: %s", oneLine(err))
		return nil
	}
	return onAnswer(func(answer string) judgement {
		v, err := jsonIn(answer)
		if err != nil {
			return yes(false, "%v", err) // an answer without JSON is invalid, which "not" inverts
		}
		err = schema.Validate(v)
		var invalid *jsonschema.ValidationError
		if errors.As(err, &invalid) {
			return yes(false, "%s", firstViolation(invalid))
		}
		return yes(err == nil, "is valid under the schema")
	})
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s refers to another document, which is not read", show(url))
}

// firstViolation describes the violation whose path comes first. The validator's own
// order depends on Go's maps, so reports in that order would differ between runs.
func firstViolation(e *jsonschema.ValidationError) string {
	place, text, found := "", "", false
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		at := "/" + strings.Join(e.InstanceLocation, "/")
		if len(e.Causes) > 0 || found && at > place {
			return
		}
		if extra, ok := e.ErrorKind.(*violation.AdditionalProperties); ok {
			slices.Sort(extra.Properties)
		}
		reason := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		if !found || at < place || reason < text {
			place, text, found = at, reason, true
		}
	}
	visit(e)
	return fmt.Sprintf("at %s: %s", show(place), text)
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// jsonIn parses the JSON of an answer: the whole text, or else the last block between ```
// fences.
func jsonIn(answer string) (any, error) {
	v, err := readJSON(answer)
	if err == nil {
		return v, nil
	}
	parts := strings.Split(answer, "```")
	if len(parts) < 3 {
		return nil, err
	}
	block := parts[len(parts)-2]
	if len(parts)%2 == 0 { // the last block is not closed
		block = parts[len(parts)-3]
	}
	if lang, rest, ok := strings.Cut(block, "\n"); ok && !strings.ContainsAny(lang, "{[\"") {
		block = rest
	}
	return readJSON(block)
}

// readJSON parses one JSON value. Numbers keep their text; numbers so large that a
// comparison would exhaust memory are refused.
func readJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errors.New("the answer is not valid JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the answer has text after its JSON")
	}
	if err := sane(v); err != nil {
		return nil, err
	}
	return v, nil
}

func sane(v any) error {
	switch v := v.(type) {
	case json.Number:
		_, exp, _ := strings.Cut(strings.ToLower(v.String()), "e")
		if e, err := strconv.Atoi(exp); len(v) > 400 || exp != "" && (err != nil || e > 400 || e < -400) {
			return errors.New("the JSON has a number that is too large")
		}
	case []any:
		for _, item := range v {
			if err := sane(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := sane(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// equalJSON compares two values; numbers are compared by value.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumber(a.String(), b.String())
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}

// equalNumber compares integers as text, because long integers that differ may be equal as
// floats.
func equalNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a+b, ".eE") {
		return a == "-0" && b == "0" || a == "0" && b == "-0"
	}
	x, errx := strconv.ParseFloat(a, 64)
	y, erry := strconv.ParseFloat(b, 64)
	return errx == nil && erry == nil && x == y
}

// compact returns a value as one line of JSON, or "?" if it cannot be encoded.
func compact(v any) string {
	out, err := foreign.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(out)
}
