package safety

import (
	"slices"
	"strings"
)

// substance returns why an answer has no content, or "" if it has some.
func substance(answer, question string) string {
	plain := plainText(answer)
	if plain == "" && strings.Trim(answer, " \t\r\n.…,;:-–—_'\"`()[]{}!?�") == "" {
		return "it is empty"
	}
	if text := placeholderText(answer, question); text != "" {
		return text
	}
	if restates(plain, plainText(question)) {
		return "it only repeats the question"
	}
	return filler(answer)
}

// placeholderText returns a description of the placeholder that an answer contains, or ""
// if there is none.
func placeholderText(answer, question string) string {
	low := strings.ToLower(answer)
	asked := strings.ToLower(question)
	for _, mark := range []string{"lorem ipsum dolor", "your answer here", "answer goes here", "[insert ", "<insert ", "{{answer}}", "[your answer", "<your answer", "<answer here>", "[placeholder]", "placeholder text", "[answer]", "insert answer"} {
		if strings.Contains(low, mark) && !strings.Contains(asked, strings.Trim(mark, "[<{ ")) {
			return "it has a placeholder: " + strings.TrimSpace(mark)
		}
	}
	if strings.Contains(asked, "todo") || strings.Contains(asked, "tbd") || strings.Contains(asked, "placeholder") {
		return ""
	}
	words := terms(answer)
	if len(words) == 0 || len(words) > 8 {
		return ""
	}
	first, _, _ := strings.Cut(strings.Trim(answer, "<[{(*_ \t\r\n"), " ")
	switch mark := strings.TrimRight(first, ":.,>])}*_-!"); mark {
	case "TODO", "TBD", "FIXME", "TBC", "todo", "tbd":
		return "it is a placeholder: " + mark
	}
	switch plain := strings.Join(words, " "); plain {
	case "answer", "placeholder", "insert text", "to be determined", "to be done", "to be filled in", "coming soon", "fill in", "result here", "final answer", "lorem ipsum":
		if strings.Contains(strings.ToLower(question), plain) {
			return ""
		}
		return "it is a placeholder: " + plain
	}
	return ""
}

// restates reports whether an answer repeats the question, preceded by at most a few words.
// Both arguments are plain text.
func restates(answer, question string) bool {
	if strings.Count(question, " ") < 3 {
		return false
	}
	for again := true; again; {
		again = false
		for _, lead := range []string{
			"you asked", "you are asking", "you re asking", "the question is", "the question asks", "your question is", "question", "answer", "so", "sure", "well", "great question",
			"you want to know", "the task is", "the goal is", "goal", "task", "i was asked", "i am asked", "let me restate", "to restate", "you would like to know", "ok", "okay", "let me answer",
		} {
			if rest, ok := strings.CutPrefix(answer, lead+" "); ok && !strings.HasPrefix(question, lead) {
				answer, again = rest, true
			}
		}
	}
	return answer == question
}

// filler returns a description if every sentence of an answer is an empty phrase, such as
// an apology or a courtesy, and "" otherwise.
func filler(answer string) string {
	all := sentences(answer)
	if len(all) == 0 || len(terms(answer)) < 2 {
		return ""
	}
	kind := ""
	for _, s := range all {
		plain := plainText(s)
		if plain == "" {
			continue
		}
		k := fillerKind(plain)
		if k == "" {
			return ""
		}
		if kind == "" {
			kind = k
		}
	}
	if kind == "" {
		return ""
	}
	return "it contains nothing but " + kind
}

// fillerKind returns the kind of empty phrase that a sentence is, or "" if the sentence has
// content.
func fillerKind(plain string) string {
	words := strings.Count(plain, " ") + 1
	for kind, starts := range map[string][]string{
		"an apology": {
			"i m sorry", "i am sorry", "sorry", "i apologize", "i apologise", "my apologies", "apologies", "i regret", "unfortunately i can", "unfortunately i am unable", "please accept my",
		},
		"a statement that it is an AI": {
			"as an ai", "as a large language model", "as a language model", "i am an ai", "i m an ai", "i m just an ai", "i am just an ai", "i am a language model", "i m a language model", "as an artificial intelligence",
		},
		"politeness": {
			"i hope this helps", "i hope that helps", "hope this helps", "let me know if", "please let me know", "feel free to", "i d be happy to", "i would be happy to", "i m happy to", "i am happy to", "happy to help",
			"i d be glad to", "thank you for", "thanks for",
			"is there anything else", "how can i help", "how may i help", "how can i assist", "sure i can help", "of course i can help", "certainly i can help", "i understand your", "i ll get right on", "i will get right on",
			"let me think about", "i m here to help", "i am here to help",
			"sure thing", "absolutely i d", "of course i d", "certainly i d", "sure i d", "let me help you", "i will do my best", "i ll do my best",
		},
	} {
		for _, start := range starts {
			if plain == start || strings.HasPrefix(plain, start+" ") && words <= fillerWords(kind) {
				// Politeness that continues with a number has content.
				if kind == "politeness" && strings.ContainsAny(plain, "0123456789") {
					continue
				}
				return kind
			}
		}
	}
	// These phrases may introduce an answer, so they count only if the sentence consists of
	// nothing else.
	if slices.Contains([]string{
		"great question", "good question", "that s a great question", "that is a great question", "that s a good question", "what a great question", "excellent question",
		"i will now answer", "i will now answer the question", "here is the answer", "here s the answer", "here is my answer", "here is the answer to your question", "i have answered", "i have answered the question", "i have completed the task", "the task is complete", "the task has been completed", "done as you asked",
		"sure", "certainly", "of course", "absolutely", "great", "okay", "hello", "hi", "hi there", "hello there", "understood", "got it", "will do",
	}, plain) {
		return "politeness"
	}
	return ""
}

// fillerWords returns the maximum number of words in a sentence that counts as an empty
// phrase of the given kind.
func fillerWords(kind string) int {
	if kind == "politeness" {
		return 16
	}
	return 30
}
