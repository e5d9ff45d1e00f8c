package constants

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// Set writes the values of a config into the marked constants and returns all files,
// including unchanged ones. Only literals change: even white space that gofmt would adjust
// stays the same, and a literal that already has its value stays as written. Constants that
// the config does not mention keep their values.
//
// It returns an error if a marker in the files is invalid, or if the config has an unknown
// parameter or an invalid value. The result is checked by reading it again: it must parse
// and have the values of the config.
func Set(files map[string][]byte, config agent.Config) (map[string][]byte, error) {
	list, err := all(files)
	if err != nil {
		return nil, err
	}
	want, err := values(list, config)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(files)
	for i := len(list) - 1; i >= 0; i-- { // from the end, so that earlier offsets stay valid
		c := list[i]
		if v := want[i]; v != c.Value {
			was := out[c.File]
			out[c.File] = slices.Concat(was[:c.start], []byte(c.spell(v)), was[c.end:])
		}
	}
	return out, check(out, list, want)
}

// all returns every marked constant in files, which must have no problems.
func all(files map[string][]byte) ([]Constant, error) {
	list, problems := Find(files)
	if len(problems) > 0 {
		return nil, fmt.Errorf("a mark cannot be used: %s", problems[0])
	}
	return list, nil
}

// values returns the values of the constants for a config.
func values(list []Constant, config agent.Config) ([]float64, error) {
	out := make([]float64, len(list))
	known := map[string]bool{}
	for i, c := range list {
		known[c.Name] = true
		out[i] = c.Value
		v, there := config[c.Name]
		if !there {
			continue
		}
		p := c.param()
		v, err := p.Coerce(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %q %w", c.Name, err)
		}
		if v != p.Default { // a default may have more digits than the value of its parameter
			out[i] = c.valueOf(v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if !known[name] {
			return nil, fmt.Errorf("parameter %q is not a marked constant", name)
		}
	}
	return out, nil
}

// check reads the constants again and compares their values with those wanted.
func check(files map[string][]byte, list []Constant, want []float64) error {
	got, err := all(files)
	if err != nil {
		return err
	}
	if len(got) != len(list) {
		return errors.New("the number of marked constants changed when they were written")
	}
	for i, c := range got {
		if c.Name != list[i].Name || c.Value != want[i] {
			return fmt.Errorf("constant %s cannot be written as %v", list[i].Name, want[i])
		}
	}
	return nil
}

// Describe returns one line about the changes that a config makes to the constants, such as
// "chunk 64 → 256, wait 5 → 2 (time.Second)"; "" if it changes nothing. Values of unknown
// parameters are ignored.
func Describe(list []Constant, config agent.Config) string {
	var parts []string
	for _, c := range list {
		p := c.param()
		v, err := p.Coerce(config[c.Name])
		if err != nil || v == p.Default {
			continue
		}
		part := fmt.Sprintf("%s %s → %s", c.Name, c.Literal, c.spell(c.valueOf(v)))
		if c.Unit != "" {
			part += " (" + c.Unit + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
