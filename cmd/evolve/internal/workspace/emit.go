package workspace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// bare is text that every YAML reader takes for itself, unless it is one of the
// words that stand for something else.
var bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./+-]*$`)

// versions of YAML differ on these; quoting them leaves no doubt.
var switches = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|nan|inf)$`)

// yamlWord is text on one line.
func yamlWord(s string) string {
	if bare.MatchString(s) && !switches.MatchString(s) && (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag() == "!!str" {
		return s
	}
	return yamlQuoted(s)
}

// yamlQuoted is text in double quotes, with everything escaped that is not plainly visible.
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

// yamlValue is the value of a parameter: on one line, or text of several lines as
// a block that reads well in a diff, when that gives back the same text.
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
	panic(fmt.Sprintf("a config has no values like %v", v))
}

// yamlBlock is text of several lines as a literal block. Text that begins or ends
// in white space, or holds what is not plainly visible, is left to quotes.
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
