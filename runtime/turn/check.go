package turn

import (
	"regexp"
	"strings"
	"unicode"

	"evolve/runtime/model"
)

var dateLike = regexp.MustCompile(`(?i)\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\b\d{4}\b`)

// hasShape reports whether an answer has the form that the question asks for.
func hasShape(answer string, shape model.Shape) bool {
	switch shape {
	case model.NumberShape:
		return strings.ContainsAny(answer, "0123456789")
	case model.DateShape:
		return dateLike.MatchString(answer)
	case model.NameShape:
		return strings.IndexFunc(answer, unicode.IsUpper) >= 0
	}
	return strings.TrimSpace(answer) != ""
}
