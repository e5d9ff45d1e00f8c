package safety

import (
	"encoding/json"
	"strings"
	"unicode"
)

// Response is an answer and what is known of how it came about.
type Response struct {
	Answer   string
	Question string
	// Earlier are the agent's answers before this one in the same conversation, the
	// latest last.
	Earlier []string
	// Findings are what tools and memory gave in this turn.
	Findings []string
}

// Problem is what a check has against an answer.
type Problem struct {
	// Kind is repetition, substance or sycophancy.
	Kind string
	// Text says what is wrong, for the agent to repair.
	Text string
}

// The kinds of problem.
const (
	Repetition = "repetition"
	Substance  = "substance"
	Sycophancy = "sycophancy"
)

// Check lists what is wrong with the form of an answer: that it goes round in circles,
// says nothing, or gives in to the user against what is known. It does not judge
// whether the answer is right, and keeps quiet where it is not sure; short answers,
// JSON, tables and poems pass. It takes linear time.
func Check(r Response) []Problem {
	var problems []Problem
	r.Answer = clip(strings.ToValidUTF8(r.Answer, "\uFFFD"), maxAnswer)
	r.Question = clip(r.Question, maxAnswer)
	add := func(kind, text string) {
		if text != "" {
			problems = append(problems, Problem{kind, text})
		}
	}
	add(Repetition, repetition(r.Answer))
	add(Substance, substance(r.Answer, r.Question))
	add(Sycophancy, sycophancy(r))
	return problems
}

// isData reports whether text is JSON that is more than a word.
func isData(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.Contains("{[", text[:1]) && json.Valid([]byte(text))
}

// prose is the text without code, tables and other lines that repeat by nature.
func prose(text string) string {
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.Contains(line, "|") || strings.Contains(trimmed, "\t") || strings.HasPrefix(line, "    ") || isCode(trimmed) {
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// isCode reports whether a line looks like one of a program or of data.
func isCode(line string) bool {
	if line == "" {
		return false
	}
	last := line[len(line)-1]
	return strings.IndexByte("{};", last) >= 0 || strings.Contains(line, " = ") || strings.Contains(line, ":=") || strings.Count(line, ",") > 2 && strings.Count(line, " ") < 3
}

// terms are the words of a text in small letters, numbers among them.
func terms(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r <= ' ' || unicode.IsSpace(r) || strings.ContainsRune(".,;:!?\"'`()[]{}<>*_#~|/\\=+“”‘’…—–-", r)
	})
}

// plainText is the words of a text with a space between them.
func plainText(text string) string { return strings.Join(terms(text), " ") }

// sentences splits a text at the ends of sentences and of lines.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for {
			at := -1
			for i := 0; i+1 < len(line); i++ {
				if strings.IndexByte(".!?", line[i]) >= 0 && (line[i+1] == ' ' || line[i+1] == '\n') {
					at = i + 1
					break
				}
			}
			if at < 0 {
				break
			}
			out = appendText(out, line[:at])
			line = line[at:]
		}
		out = appendText(out, line)
	}
	return out
}

func appendText(list []string, text string) []string {
	if text = strings.TrimSpace(text); text != "" {
		list = append(list, text)
	}
	return list
}
