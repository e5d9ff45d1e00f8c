package reflection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
)

const (
	// maxWritten is the maximum length, in characters, of an instruction that a model
	// writes. It exists because every text is read, and paid for, on every task. An
	// instruction that is already longer may be replaced by one of the same length.
	maxWritten = 1200
	// maxDemonstrations is the maximum number of demonstrations, and maxSame the maximum
	// number of equal sentences in a line.
	maxDemonstrations = 8
	maxSame           = 2
)

// demonstrates reports whether the component is a list of demonstrations.
func (m Material) demonstrates() bool {
	p, _ := m.Space.Lookup(m.Component)
	return p.Kind == agent.Text && p.Use == agent.Demonstrations
}

// maxChars returns the maximum length, in characters, of a new value for a text parameter.
func (m Material) maxChars(p agent.Param) int {
	if m.demonstrates() {
		return p.MaxChars
	}
	return min(p.MaxChars, max(maxWritten, utf8.RuneCountInString(m.Config.String(p.Name))))
}

// shorten returns a text without the lines that repeat an earlier line, or the reason why
// the text is refused, in words that follow "the answer". Repetitions that a person wrote
// are kept.
func (m Material) shorten(p agent.Param, text string) (string, error) {
	if m.demonstrates() {
		return shortenDemonstrations(text)
	}
	old := counts(lines(m.Config.String(p.Name)))
	seen := map[string]int{}
	var kept []string
	for _, line := range lines(text) {
		if same(line) > maxSame {
			return "", fmt.Errorf("has a line that repeats one sentence more than %d times", maxSame)
		}
		key := folded(line)
		if seen[key]++; key != "" && seen[key] > max(1, old[key]) {
			continue
		}
		kept = append(kept, line)
	}
	text = strings.TrimSpace(strings.Join(kept, "\n"))
	if n, most := utf8.RuneCountInString(text), m.maxChars(p); n > most {
		return "", fmt.Errorf("has a text of %d characters, but at most %d are allowed", n, most)
	}
	return text, nil
}

// shortenDemonstrations returns demonstrations without those whose task is repeated.
func shortenDemonstrations(text string) (string, error) {
	list, ok := agent.ParseDemonstrations(text)
	if !ok {
		return "", fmt.Errorf(`has a value that is not a list of objects {"task": TEXT, "answer": TEXT}`)
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(d agent.Demonstration) bool {
		key := plain(d.Task)
		twice := seen[key]
		seen[key] = true
		return twice
	})
	if len(list) > maxDemonstrations {
		return "", fmt.Errorf("has %d demonstrations, but at most %d are allowed", len(list), maxDemonstrations)
	}
	return agent.FormatDemonstrations(list), nil
}

// demonstrations converts a JSON list of demonstrations to text; it returns other values
// unchanged.
func demonstrations(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	var b strings.Builder
	for _, d := range list {
		raw, err := json.Marshal(d)
		if err != nil {
			return v
		}
		b.Write(append(raw, '\n'))
	}
	return b.String()
}

func lines(text string) []string { return strings.Split(text, "\n") }

// folded returns a line in lower case with single spaces, for comparison. It returns "" for
// a line without a letter, such as a rule or a fence, because such lines may be repeated.
func folded(line string) string {
	if !strings.ContainsFunc(line, unicode.IsLetter) {
		return ""
	}
	return plain(line)
}

// plain returns a text in lower case with single spaces.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

func counts(list []string) map[string]int {
	out := map[string]int{}
	for _, l := range list {
		out[folded(l)]++
	}
	return out
}

// same returns how often the most frequent sentence in a line occurs.
func same(line string) int {
	most := 0
	for sentence, n := range counts(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(".!?;", r) })) {
		if sentence != "" {
			most = max(most, n)
		}
	}
	return most
}
