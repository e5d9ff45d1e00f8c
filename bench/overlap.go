package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"evolve/runtime/agent"
)

// overlapWords is the number of consecutive words of an answer that count as a copy.
const overlapWords = 5

// Copied is a passage that a text shares with a task's answer.
type Copied struct {
	// Task is the id of the first task whose answer contains the passage.
	Task string
	// Words is the passage, in lower case, without punctuation.
	Words string
}

// AnswerIndex finds passages of answers in a text. It is safe for concurrent use.
type AnswerIndex struct {
	runs map[string]string // five words → id of the task
}

// IndexAnswers indexes the answers of tasks and of their turns: the reference of each and the
// texts that its graders expect (answer, all, any).
func IndexAnswers(tasks []Task) *AnswerIndex {
	x := &AnswerIndex{runs: map[string]string{}}
	for i := range tasks {
		for _, t := range tasks[i].Steps() {
			if t.Answer != nil {
				x.add(t.ID, *t.Answer)
			}
			for _, g := range t.Graders {
				for _, text := range g.expected() {
					x.add(t.ID, text)
				}
			}
		}
	}
	return x
}

func (x *AnswerIndex) add(id, answer string) {
	words := wordsOf(answer)
	for i := 0; i+overlapWords <= len(words); i++ {
		run := strings.Join(words[i:i+overlapWords], " ")
		if _, ok := x.runs[run]; !ok {
			x.runs[run] = id
		}
	}
}

// Find returns the longest passages of five or more words that a text shares with the
// answer of one task, ignoring case, punctuation and spacing. It finds neither answers of
// fewer than five words nor those in scripts that put no spaces between words.
func (x *AnswerIndex) Find(text string) []Copied {
	words := wordsOf(text)
	var found []Copied
	for i := 0; i+overlapWords <= len(words); i++ {
		id, ok := x.runs[strings.Join(words[i:i+overlapWords], " ")]
		if !ok {
			continue
		}
		end := i + overlapWords
		for end < len(words) {
			if next, ok := x.runs[strings.Join(words[end+1-overlapWords:end+1], " ")]; !ok || next != id {
				break
			}
			end++
		}
		found = append(found, Copied{id, strings.Join(words[i:end], " ")})
		i = end - overlapWords
	}
	return found
}

// FindShown returns the passages that demonstrations share with answers. A demonstration of
// a search task may contain the answers of search tasks, because evaluations of search
// tasks do not count. The whole answer in a demonstration of a holdout task counts as a
// copy.
func (x *AnswerIndex) FindShown(tasks []Task, list []agent.Demonstration) []Copied {
	split, own := map[string]Split{}, map[string]*Task{}
	for i := range tasks {
		t := &tasks[i]
		split[t.ID] = t.Split
		request := strings.TrimSpace(t.Request())
		if own[request] == nil || t.Split == Holdout {
			own[request] = t
		}
	}
	var found []Copied
	for _, d := range list {
		t := own[strings.TrimSpace(d.Task)]
		switch {
		case t == nil:
			found = append(found, x.Find(d.Task+"\n"+d.Answer)...)
			continue
		case t.Split == Holdout:
			found = append(found, Copied{t.ID, strings.Join(wordsOf(d.Answer), " ")})
			continue
		}
		mine := IndexAnswers([]Task{*t})
		for _, c := range x.Find(d.Answer) {
			if split[c.Task] == Holdout && len(mine.Find(c.Words)) == 0 {
				found = append(found, c)
			}
		}
	}
	return found
}

// expected returns the texts that a grader looks for: those in its fields answer, all and
// any.
func (g GraderSpec) expected() []string {
	var own struct{ Answer, All, Any json.RawMessage }
	if json.Unmarshal(g.Raw, &own) != nil {
		return nil
	}
	return slices.Concat(textsOf(own.Answer), textsOf(own.All), textsOf(own.Any))
}

// textsOf decodes a text or the texts in a list; it returns nil for anything else.
func textsOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var list []any
	var texts []string
	if json.Unmarshal(raw, &list) == nil {
		for _, v := range list {
			if s, ok := v.(string); ok {
				texts = append(texts, s)
			}
		}
	}
	return texts
}

// wordsOf splits a text into lower-case runs of letters, marks and digits after NFKC
// normalization, so that different widths and ligatures count as the same.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
