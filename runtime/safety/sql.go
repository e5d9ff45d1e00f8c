package safety

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	foreign "evolve/runtime/text"
)

// statement returns the reason why SQL, or a GraphQL query, changes something, or "". If
// sure is set, the text is known to be SQL, and a statement that does not begin with a word
// for reading counts as a change.
func statement(text string, sure bool) string {
	if strings.Contains(text, "{") && mutates(text) {
		return "its query is a GraphQL mutation"
	}
	bare := withoutLiterals(text)
	if call := effects.FindString(bare); call != "" {
		return "its SQL contains " + strings.TrimRight(call, " \t\r\n(")
	}
	for part := range strings.SplitSeq(bare, ";") {
		w := strings.FieldsFunc(strings.ToUpper(part), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '=' })
		if len(w) == 0 {
			continue
		}
		if sure && !slices.Contains([]string{"SELECT", "WITH", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "VALUES", "TABLE", "PRAGMA", "USE", "FROM"}, w[0]) {
			return "its SQL begins with " + foreign.Clip(w[0], 20)
		}
		if w[0] == "MUTATION" && strings.Contains(text, "{") || w[0] == "PRAGMA" && strings.Contains(part, "=") {
			return "its query begins with " + strings.ToLower(w[0])
		}
		for i := range w {
			if changes(w[i:], sure) || i == 0 && defines(w) || w[0] == "SELECT" && w[i] == "INTO" && slices.Contains(w[i:], "FROM") {
				return "its SQL contains " + w[i]
			}
		}
	}
	return ""
}

// changes reports whether the given words begin with an SQL clause that changes or locks
// something. A lock counts only if sure is set, which means that the text is known to be
// SQL.
func changes(words []string, sure bool) bool {
	next := func(n int, any ...string) bool { return n < len(words) && slices.Contains(any, words[n]) }
	switch words[0] {
	case "DELETE":
		return next(1, "FROM")
	case "INSERT", "REPLACE":
		return next(1, "INTO", "OVERWRITE")
	case "MERGE":
		return next(1, "INTO")
	case "UPDATE":
		return next(2, "SET") || next(3, "SET") || next(4, "SET")
	case "INTO":
		return next(1, "OUTFILE", "DUMPFILE")
	case "FOR":
		return sure && next(1, "UPDATE", "SHARE")
	}
	return false
}

// defines reports whether an SQL statement changes the schema or permissions, or loads a
// table. Only the beginning of a statement is tested, because in prose these verbs often
// occur elsewhere.
func defines(words []string) bool {
	switch words[0] {
	case "DROP", "CREATE", "ALTER", "TRUNCATE":
		return len(words) > 1 && slices.Contains([]string{
			"TABLE", "DATABASE", "INDEX", "VIEW", "SCHEMA", "USER", "ROLE", "FUNCTION", "TRIGGER", "OR", "UNIQUE", "TEMP", "TEMPORARY", "SEQUENCE", "COLUMN", "EXTENSION",
		}, words[1])
	case "GRANT", "REVOKE":
		return slices.Contains(words, "ON")
	case "COPY":
		return slices.Contains(words, "FROM")
	}
	return false
}

// effects matches calls to SQL functions that change something even in a SELECT.
var effects = regexp.MustCompile(`(?i)\b(nextval|setval|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile|pg_advisory_lock|` +
	`lo_import|lo_export|lo_unlink|lo_create|lo_put|dblink|dblink_exec|query_to_xml|set_config|xp_cmdshell|sp_executesql|load_extension|writefile|sys_exec|sys_eval)\s*\(`)

// mutates reports whether a GraphQL text contains an operation that changes something: the
// word "mutation" outside all brackets, comments and strings.
func mutates(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				return false
			}
		case c == '"':
			if n := strings.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case depth <= 0 && strings.HasPrefix(text[i:], "mutation"):
			return true
		}
	}
	return false
}

// withoutLiterals returns SQL without comments and quoted text. The content of comments
// that MySQL executes is not removed.
func withoutLiterals(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		end := 0
		switch {
		case strings.HasPrefix(rest, "--"):
			end = strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest, "*/"); n >= 0 {
				// MySQL executes the text of comments that begin with /*!, so this text is
				// not removed.
				if strings.HasPrefix(rest, "/*!") {
					out.WriteString(" " + strings.TrimLeft(rest[3:n], "0123456789") + " ")
				}
				end = n + 1
			} else {
				end = -1
			}
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			if n := strings.IndexByte(rest[1:], rest[0]); n >= 0 {
				end = n + 1
				out.WriteString(" x ")
			} else {
				out.WriteByte(' ')
				continue
			}
		default:
			out.WriteByte(rest[0])
			continue
		}
		if end < 0 {
			break
		}
		out.WriteByte(' ')
		i += end
	}
	return out.String()
}
