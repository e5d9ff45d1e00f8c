package workspace

import (
	"fmt"
	"regexp"
	"unicode/utf8"
)

// The limits on the number and the length of patterns that no answer may match.
const (
	maxNever      = 100
	maxNeverChars = 1000
)

func safetyKeys(f *settingsFile) object {
	return object{keys: []key{
		{name: "never", doc: "patterns (RE2) that no answer may match; no config, agent or model can switch them off", field: listOf{unique: true, most: maxNever, each: func() field { return neverPattern(&f.Never) }}, example: `["(?i)internal use only"]`},
	}}
}

// neverPattern is the field for one pattern that no answer may match. The pattern is
// appended to the list.
func neverPattern(to *[]string) field {
	return appended{to: to, text: text{check: neverProblem, form: schema{"type": "string", "minLength": 1, "maxLength": maxNeverChars}}}
}

func neverProblem(v string) (problem, hint string) {
	if utf8.RuneCountInString(v) > maxNeverChars {
		return fmt.Sprintf("has more than %d characters", maxNeverChars), ""
	}
	re, err := regexp.Compile(v)
	switch {
	case err != nil:
		return fmt.Sprintf("is not a valid pattern: %v", err), "RE2 has no look-around and no back-references"
	case re.MatchString(""):
		return "matches every answer", ""
	}
	return "", ""
}
