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

// usualLetters are the flags that a letter stands for in other programs.
var usualLetters = map[string][]string{
	"d": {"workspace"}, "f": {"force", "format"}, "j": {"concurrency", "json"}, "m": {"reason"}, "n": {"dry-run", "last"},
	"o": {"open"}, "t": {"until"}, "v": {"version"}, "w": {"workspace"}, "y": {"yes"},
}

// mostNear bounds the flags that are suggested for one letter.
const mostNear = 3

// unknownFlag refuses a flag and suggests what was probably meant.
func unknownFlag(name string, flags []cli.Flag) error {
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
		hint = exit.Suggest(exit.Listed("did you mean ", nearBegin(name, names), list), "--%s", name, names)
	}
	return exit.Errorf(exit.Usage, hint, "there is no flag %s", dashed(name))
}

// nearLetter returns what a letter probably stands for, as the words of a question: the flag of its
// usual meaning, or the few that begin with it.
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

// nearBegin returns the few flags whose first words are the name, possibly misspelt, as the words
// of a question.
func nearBegin(name string, names []string) []string {
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

// alternatives joins names as one of which something is.
func alternatives(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// recordNumber matches the number of a variant or another record after any letters.
var recordNumber = regexp.MustCompile(`^[A-Za-z#]*([0-9]{1,9})$`)

// nearVariant returns the hint for a name that no variant of an agent has.
func nearVariant(ctx context.Context, a *archive.Archive, agentID, name string) string {
	if m := recordNumber.FindStringSubmatch(name); m != nil {
		if v, err := a.FindVariant(ctx, agentID, "v"+m[1]); err == nil {
			return "did you mean v" + m[1] + " (" + v.ID.Short() + ")?"
		}
	}
	return "`evolve variants` lists them"
}

// nearRecord returns the hint for a name that no record of a list has: the record of the same
// number, or the fallback. Another number is not suggested, since a decision on another record is
// not what was meant. A list that cannot be read has no names.
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
