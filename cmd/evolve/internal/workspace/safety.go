package workspace

import (
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// The bounds of the patterns that no answer may match.
const (
	maxNever      = 100
	maxNeverChars = 1000
)

func safetyKeys(f *settingsFile) object {
	return object{keys: []key{
		{name: "never", doc: "patterns (RE2) that no answer may match; no config, agent or model can switch them off", field: neverList{&f.Never}, example: `["(?i)internal use only"]`},
	}}
}

type neverList struct{ to *[]string }

func (l neverList) list() listOf {
	return listOf{unique: true, each: func() field { return neverPattern(l) }}
}

func (l neverList) read(s *source, n *yaml.Node, name string) {
	l.list().read(s, n, name)
	if len(n.Content) > maxNever {
		s.bad(n, "", "%s has more than %d patterns", name, maxNever)
	}
}

func (l neverList) schema() schema {
	out := l.list().schema()
	out["maxItems"] = maxNever
	return out
}

// neverPattern is one pattern, appended to the list.
type neverPattern struct{ to *[]string }

func (p neverPattern) read(s *source, n *yaml.Node, name string) {
	var v string
	if !(text{to: &v}).take(s, n, name) {
		return
	}
	if utf8.RuneCountInString(v) > maxNeverChars {
		s.bad(n, "", "%s has more than %d characters", name, maxNeverChars)
		return
	}
	re, err := regexp.Compile(v)
	switch {
	case err != nil:
		s.bad(n, "RE2 knows no look-around and no back-references", "%s is no pattern: %v", name, err)
	case re.MatchString(""):
		s.bad(n, "", "%s matches every answer", name)
	default:
		*p.to = append(*p.to, v)
	}
}

func (neverPattern) schema() schema {
	return schema{"type": "string", "minLength": 1, "maxLength": maxNeverChars}
}
