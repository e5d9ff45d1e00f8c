package cli

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/runtime/text"
)

// completing is the first argument of the command line with which a completion script
// requests candidates. The words up to the cursor follow it. Each candidate is printed on
// one line, as WORD or as WORD, a tab and a description. The last line is ":", ":files" or
// ":folders", and states whether files or folders are candidates too.
const completing = "__complete"

// candidate is a word that would fit at the cursor.
type candidate struct{ word, about string }

// offer describes what would fit at the cursor: candidates, and possibly files or folders.
type offer struct {
	list  []candidate
	other string
}

// complete prints the candidates for the last of the words. It fails silently: sources that
// cannot be read have no candidates.
func (sh *shell) complete(words []string) {
	last := ""
	if len(words) > 0 {
		words, last = words[:len(words)-1], words[len(words)-1]
	}
	var o offer
	if line, err := scan(sh.app().Commands, words); err == nil || line.open != nil {
		o = (&suggester{sh: sh, line: line}).offer(last)
	}
	for _, c := range o.list {
		// Any other character in a word would have to be quoted, and could form a command.
		if !completable.MatchString(c.word) || !strings.HasPrefix(c.word, last) {
			continue
		}
		if c.about != "" {
			c.word += "\t" + text.OneLine(c.about)
		}
		sh.printf("%s\n", c.word)
	}
	sh.printf(":%s\n", o.other)
}

var completable = regexp.MustCompile(`^[A-Za-z0-9_.,:@+/=-]+$`)

// suggester lists the words that can follow a line.
type suggester struct {
	sh   *shell
	line commandLine
}

// offer returns the candidates for completing word at the end of the line.
func (s *suggester) offer(word string) offer {
	if s.line.open != nil {
		return s.ofFlag(s.line.open)
	}
	if !s.line.ended && strings.HasPrefix(word, "-") {
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if flag := findFlag(s.line.known, name); flag != nil && hasValue {
			o := s.ofFlag(flag)
			for i := range o.list {
				o.list[i].word = word[:strings.Index(word, "=")+1] + o.list[i].word
			}
			return o
		}
		return offer{list: s.flags()}
	}
	var o offer
	if len(s.line.rest) == 0 && !s.line.ended {
		for _, c := range s.line.below {
			o.list = append(o.list, candidate{c.Name, c.Usage})
		}
	}
	if len(s.line.path) > 0 {
		if names := strings.Fields(s.line.path[len(s.line.path)-1].ArgsUsage); len(names) > 0 {
			at := min(len(s.line.rest), len(names)-1)
			if at == len(s.line.rest) || strings.Contains(names[at], "…") {
				values := s.values(strings.Trim(names[at], "[]…"))
				o.list, o.other = append(o.list, values.list...), values.other
			}
		}
	}
	return o
}

// flags returns the flags that can still follow.
func (s *suggester) flags() []candidate {
	var list []candidate
	for _, f := range s.line.known {
		_, repeats := f.(*cli.StringSliceFlag)
		if hidden, ok := f.(cli.VisibleFlag); ok && !hidden.IsVisible() {
			continue
		}
		if repeats || !slices.ContainsFunc(f.Names(), func(n string) bool { return slices.Contains(s.line.used, n) }) {
			_, usage := placeholder(f)
			list = append(list, candidate{"--" + f.Names()[0], usage})
		}
	}
	list = append(list, candidate{"--help", "show help"})
	if len(s.line.path) == 0 {
		list = append(list, candidate{"--version", "show the version, its commit and date"})
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.word, b.word) })
	return list
}

// command returns the names in the line's path, such as "bench import".
func (s *suggester) command() string {
	names := make([]string, len(s.line.path))
	for i, c := range s.line.path {
		names[i] = c.Name
	}
	return strings.Join(names, " ")
}
