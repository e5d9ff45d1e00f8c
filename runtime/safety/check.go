package safety

import (
	"encoding/json"
	"strings"
	"unicode"

	foreign "evolve/runtime/text"
)

// Response is an answer with its context.
type Response struct {
	Answer   string
	Question string
	// Earlier holds the agent's earlier answers in the same conversation, oldest first.
	Earlier []string
	// Findings holds the results of tool calls and recall in this turn.
	Findings []string
}

// Problem is an objection that a check raises against an answer.
type Problem struct {
	// Kind is one of Repetition, Substance, Sycophancy and Incomplete.
	Kind string
	// Text describes the problem well enough for the agent to correct it.
	Text string
}

// The kinds of problem.
const (
	Repetition = "repetition"
	Substance  = "substance"
	Sycophancy = "sycophancy"
	Incomplete = "incomplete"
)

// Check returns the problems with the form of an answer: it repeats itself, has no content,
// gives in to the user although the findings contradict the user, or lacks a countable part
// that the question requires. Check does not judge whether the answer is right, and in
// cases of doubt it reports nothing; short answers, JSON, tables and poems pass. It takes
// linear time.
func Check(r Response) []Problem {
	var problems []Problem
	r.Answer = foreign.Clip(strings.ToValidUTF8(r.Answer, "\uFFFD"), maxAnswer)
	r.Question = foreign.Clip(r.Question, maxAnswer)
	add := func(kind, text string) {
		if text != "" {
			problems = append(problems, Problem{kind, text})
		}
	}
	add(Repetition, repetition(r.Answer))
	add(Substance, substance(r.Answer, r.Question))
	add(Sycophancy, sycophancy(r))
	add(Incomplete, incomplete(r.Answer, r.Question))
	return problems
}

// isData reports whether text is a JSON object or array.
func isData(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.Contains("{[", text[:1]) && json.Valid([]byte(text))
}

// prose returns the text without code, tables and other lines that are naturally
// repetitive.
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

// isCode reports whether a line looks like code or data.
func isCode(line string) bool {
	if line == "" {
		return false
	}
	last := line[len(line)-1]
	return strings.IndexByte("{};", last) >= 0 || strings.Contains(line, " = ") || strings.Contains(line, ":=") || strings.Count(line, ",") > 2 && strings.Count(line, " ") < 3
}

// terms returns the words of a text, including numbers, in lower case.
func terms(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r <= ' ' || unicode.IsSpace(r) || strings.ContainsRune(".,;:!?\"'`()[]{}<>*_#~|/\\=+“”‘’…—–-", r)
	})
}

// plainText returns the words of a text, separated by single spaces.
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
