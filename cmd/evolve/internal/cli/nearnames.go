package cli

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
)

// usualLetters lists, by letter, the flags for which the letter stands in other programs.
var usualLetters = map[string][]string{
	"d": {"workspace"}, "f": {"force", "format"}, "j": {"concurrency", "json"}, "m": {"reason"}, "n": {"dry-run", "last"},
	"o": {"open"}, "t": {"until"}, "v": {"version"}, "w": {"workspace"}, "y": {"yes"},
}

// mostNear is the maximum number of flags that are suggested for one letter.
const mostNear = 3

// usualWords lists the flags that a word stands for in other programs, the likeliest first.
// Words that occur in the names of flags need no entry.
var usualWords = map[string][]string{
	"address":     {"port", "hub"},
	"algorithm":   {"selection"},
	"author":      {"by"},
	"benchmark":   {"suite"},
	"browser":     {"open", "no-browser"},
	"calls":       {"budget-evals"},
	"category":    {"domain"},
	"comment":     {"reason"},
	"confirm":     {"yes"},
	"continue":    {"resume"},
	"cost":        {"budget-usd"},
	"count":       {"limit", "last", "repeats"},
	"dataset":     {"suite"},
	"deadline":    {"until"},
	"directory":   {"dir", "workspace"},
	"dollars":     {"budget-usd"},
	"duration":    {"budget-time"},
	"end":         {"until"},
	"epochs":      {"repeats"},
	"evaluations": {"budget-evals"},
	"expected":    {"answer"},
	"folder":      {"dir", "workspace"},
	"format":      {"json", "markdown", "html"},
	"gold":        {"answer"},
	"hours":       {"budget-time"},
	"interactive": {"yes"},
	"iterations":  {"budget-evals"},
	"jobs":        {"concurrency"},
	"message":     {"reason"},
	"metric":      {"grader"},
	"minutes":     {"budget-time"},
	"money":       {"budget-usd"},
	"output":      {"format", "json", "markdown", "html"},
	"overwrite":   {"force"},
	"page":        {"html", "open"},
	"parallel":    {"concurrency"},
	"path":        {"dir", "workspace"},
	"preview":     {"dry-run"},
	"processes":   {"concurrency"},
	"project":     {"workspace"},
	"prompt":      {"question", "yes"},
	"random":      {"seed"},
	"replace":     {"force"},
	"root":        {"workspace"},
	"runs":        {"repeats", "last"},
	"sampler":     {"selection"},
	"samples":     {"limit", "budget-evals"},
	"scorer":      {"grader"},
	"silent":      {"quiet"},
	"simulate":    {"dry-run"},
	"spend":       {"budget-usd"},
	"start":       {"at"},
	"steps":       {"budget-evals"},
	"stop":        {"until"},
	"strategy":    {"selection"},
	"tail":        {"last"},
	"text":        {"markdown"},
	"threads":     {"concurrency"},
	"timeout":     {"budget-time", "until"},
	"to":          {"suite"},
	"top":         {"limit", "last"},
	"trials":      {"budget-evals"},
	"user":        {"by"},
	"who":         {"by"},
	"workers":     {"concurrency"},
	"xml":         {"junit"},
}

// emptyWords are words in flag names that do not distinguish flags from each other.
var emptyWords = []string{"max", "min", "maximum", "minimum", "n", "num", "number", "of", "no", "non", "use", "set", "with", "total"}

// unknownFlag refuses a flag and suggests which one was probably meant. value is the value
// of the refused flag or the word after it, and may be empty.
func unknownFlag(name, value string, flags []cli.Flag) error {
	names := []string{"help"}
	for _, f := range flags {
		if n := f.Names()[0]; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	const list = "`--help` lists the flags"
	var hint string
	if len(name) == 1 {
		hint = exit.Listed("did you mean ", nearLetter(name, names), list)
	} else {
		near := nearBegin(name, names)
		if near == nil {
			near = nearWords(name, value, names)
		}
		hint = exit.Suggest(exit.Listed("did you mean ", near, list), "--%s", name, names)
	}
	return exit.Errorf(exit.Usage, hint, "there is no flag %s", dashed(name))
}

// nearLetter returns a question that names the flags for which a letter probably stands:
// the flags of the letter's usual meaning, or the few flags that begin with the letter.
func nearLetter(letter string, names []string) []string {
	letter = strings.ToLower(letter)
	for _, usual := range usualLetters[letter] {
		if usual == "version" || slices.Contains(names, usual) {
			return []string{"--" + usual + "?"}
		}
	}
	var near []string
	for _, n := range names {
		if strings.HasPrefix(n, letter) {
			near = append(near, "--"+n)
		}
	}
	if len(near) == 0 || len(near) > mostNear {
		return nil
	}
	return []string{alternatives(near) + "?"}
}

// nearBegin returns the few flags that begin with the words of the name, which may be
// misspelt. The result is phrased as a question.
func nearBegin(name string, names []string) []string {
	if len(name) < 3 {
		return nil // one error would be half of the name
	}
	words := strings.Count(name, "-") + 1
	var near []string
	for _, n := range names {
		parts := strings.SplitAfterN(n, "-", words+1)
		if len(parts) <= words {
			continue
		}
		begin := strings.TrimSuffix(strings.Join(parts[:words], ""), "-")
		if exit.Nearest(name, []string{begin}) != "" {
			near = append(near, "--"+n)
		}
	}
	if len(near) == 0 || len(near) > mostNear {
		return nil
	}
	return []string{alternatives(near) + "?"}
}

// nearWords returns the few flags that share the most words with the name or have the
// same meaning. The result is phrased as a question. If the name asks for a format and
// the value is the name of a flag, it returns that flag, for example --json for `--format
// json`.
func nearWords(name, value string, names []string) []string {
	words := tellingWords(name)
	if asked := strings.ToLower(value); asked != "" && slices.Contains(names, asked) {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"format", "output", "as"}, w) }) {
			return []string{"--" + asked + "?"}
		}
	}
	for _, means := range []func(word, flag string) bool{usualFor, sharesWord} {
		best, near := 0, []string(nil)
		for _, n := range names {
			same := 0
			for _, w := range words {
				if means(w, n) {
					same++
				}
			}
			if same > best {
				best, near = same, nil
			}
			if same == best && best > 0 {
				near = append(near, "--"+n)
			}
		}
		if len(near) > 0 && len(near) <= mostNear {
			return []string{alternatives(near) + "?"}
		}
	}
	return nil
}

// tellingWords returns the words in a flag's name that distinguish the flag from others.
func tellingWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' })
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(emptyWords, w) })
}

// usualFor reports whether a word stands for a flag in other programs.
func usualFor(word, flag string) bool {
	for usual, flags := range usualWords {
		if sameWord(word, usual) && slices.Contains(flags, flag) {
			return true
		}
	}
	return false
}

// sharesWord reports whether a flag's name contains a word.
func sharesWord(word, flag string) bool {
	return slices.ContainsFunc(tellingWords(flag), func(of string) bool { return sameWord(word, of) })
}

// sameWord reports whether two words differ only in their endings, such as "evals" and
// "evaluations".
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	short, n := min(len(a), len(b)), 0
	for n < short && a[n] == b[n] {
		n++
	}
	return n == short && n >= 3 || n >= 4 && n >= short-1
}

// alternatives joins names as alternatives to choose from.
func alternatives(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// recordNumber matches the number of a variant or of another record, after any letters.
var recordNumber = regexp.MustCompile(`^[A-Za-z#]*([0-9]{1,9})$`)

// nearVariant returns the hint for a name that no variant of the agent has.
func nearVariant(ctx context.Context, a *archive.Archive, agentID, name string) string {
	if m := recordNumber.FindStringSubmatch(name); m != nil {
		if v, err := a.FindVariant(ctx, agentID, "v"+m[1]); err == nil {
			return "did you mean v" + m[1] + " (" + v.ID.Short() + ")?"
		}
	}
	return "`evolve variants` lists them"
}

// nearRecord returns the hint for a name that no record in a list has: the record with
// the same number, or the fallback. It suggests no record with another number, because a
// person might then decide on a record that was not meant. If the list cannot be read,
// the hint is the fallback.
func nearRecord[T any](list iter.Seq2[T, error], id func(T) string, name, fallback string) string {
	m := recordNumber.FindStringSubmatch(name)
	if m == nil {
		return fallback
	}
	for r, err := range list {
		if err != nil {
			break
		}
		if found := recordNumber.FindStringSubmatch(id(r)); found != nil && found[1] == m[1] {
			return "did you mean " + id(r) + "?"
		}
	}
	return fallback
}
