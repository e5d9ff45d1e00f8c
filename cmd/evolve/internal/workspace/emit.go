package workspace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// bare matches text that every YAML parser reads as a string, unless the text is a word
// with another meaning.
var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./+-]*$`)

// switches matches words that are quoted because different versions of YAML read them
// differently.
var switches = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|nan|inf)$`)

// yamlWord formats text as a YAML string on one line, in quotes if necessary.
func yamlWord(s string) string {
	if bare.MatchString(s) && !switches.MatchString(s) && (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag() == "!!str" {
		return s
	}
	return yamlQuoted(s)
}

// yamlQuoted formats text in double quotes, and escapes everything that is not visible.
func yamlQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case visible(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func visible(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar
}

// yamlValue formats the value of a parameter. Text of several lines is formatted as a
// block, which is readable in a diff, provided that parsing the block returns the same
// text. Everything else is formatted on one line.
func yamlValue(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return plain(v)
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = yamlWord(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		if block, ok := yamlBlock(v); ok {
			return block
		}
		return yamlWord(v)
	}
	panic(fmt.Sprintf("a config cannot hold the value %v", v))
}

// yamlBlock formats text of several lines as a literal block. It returns false for text
// that must be quoted because it begins or ends with white space or contains invisible
// characters.
func yamlBlock(s string) (string, bool) {
	body, ended := strings.CutSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.TrimSpace(body) != body {
		return "", false
	}
	var b strings.Builder
	b.WriteString("|-")
	if ended {
		b.Reset()
		b.WriteString("|")
	}
	for line := range strings.SplitSeq(body, "\n") {
		b.WriteByte('\n')
		if line == "" {
			continue
		}
		if strings.TrimSpace(line) == "" || strings.ContainsFunc(line, func(r rune) bool { return !visible(r) }) {
			return "", false
		}
		b.WriteString("  ")
		b.WriteString(line)
	}
	return b.String(), true
}
