package schedule

import (
	"slices"
	"strings"

	"evolve/runtime/text"
)

// plain holds the characters, apart from letters and digits, that neither systemd nor a
// shell interprets.
const plain = "/._-+=:,@"

func isPlain(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(plain, r)
	})
}

// unitText escapes the characters that systemd expands in every setting of a unit.
func unitText(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// unitWord quotes a word for a list in a unit.
func unitWord(word string) string {
	if isPlain(word) {
		return word
	}
	return `"` + unitText(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word)) + `"`
}

// throughShell returns the command with which a shell starts a program, because systemd
// accepts no program whose path has a quotation mark or a backslash.
func throughShell() []string { return []string{"/bin/sh", "-c", `exec "$0" "$@"`} }

// unitCommand renders ExecStart. The colon keeps systemd from expanding variables.
func unitCommand(words []string) string {
	if strings.ContainsAny(words[0], `"'\`) {
		words = append(throughShell(), words...)
	}
	quoted, colon := make([]string, len(words)), ""
	for i, w := range words {
		quoted[i] = unitWord(w)
		if strings.Contains(w, "$") {
			colon = ":"
		}
	}
	return colon + strings.Join(quoted, " ")
}

// parseUnitCommand returns the words of an ExecStart setting.
func parseUnitCommand(line string) []string {
	words, shell := split(strings.ReplaceAll(strings.TrimPrefix(line, ":"), "%%", "%")), throughShell()
	if len(words) > len(shell) && slices.Equal(words[:len(shell)], shell) {
		return words[len(shell):]
	}
	return words
}

// cronLine escapes a shell command for a crontab, in which a percent sign is a line break
// unless a backslash precedes it. If the command itself has a backslash before a percent
// sign, that backslash would be taken as part of the escape, so the quotes are closed and
// reopened between the two characters.
func cronLine(command string) string {
	command = strings.ReplaceAll(command, `\%`, `\''%`)
	return strings.ReplaceAll(command, "%", `\%`)
}

// parseCronLine returns the words of a command in a crontab.
func parseCronLine(line string) []string { return split(strings.ReplaceAll(line, `\%`, "%")) }

// shellWords renders a command for a shell.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = text.ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}

// split returns the words of a command line. Outside single quotes, a backslash escapes the
// next character.
func split(line string) []string {
	var words []string
	var word strings.Builder
	quote, within, escaped := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, within = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, within = r, true
		case quote == 0 && r == ' ':
			if within {
				words = append(words, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if within {
		words = append(words, word.String())
	}
	return words
}
