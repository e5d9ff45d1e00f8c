package reflection

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"evolve/mutate"
	"evolve/runtime/agent"
)

//go:embed plain.md
var plainTask string

// linesAsked is the number of lines that the request asks for if the answer is in plain
// text. linesRead is the maximum number of lines that are read from such an answer.
const (
	linesAsked = 3
	linesRead  = 8
)

// plainRationale is the rationale of a proposal that is made in plain text, because plain
// text has no field for a rationale.
const plainRationale = "a line of the model's answer, which gives no reason"

// plainOrder returns the part of the request that asks for an answer in plain text: one
// line per proposal.
func (m Material) plainOrder() string {
	p, _ := m.Space.Lookup(m.Component)
	switch {
	case m.demonstrates():
		return fmt.Sprintf("Write up to %d demonstrations of right answers, made from cases that passed. Each line has the form: task => answer", maxDemonstrations)
	case p.Kind == agent.Text:
		return fmt.Sprintf("Write %d short instructions for the agent, one in each line, any of which would have avoided the failures.", linesAsked)
	case p.Kind == agent.Subset:
		return fmt.Sprintf("Write %d other values of the component, one in each line: the chosen members with commas between them.", linesAsked)
	}
	return fmt.Sprintf("Write %d other values of the component, one in each line.", linesAsked)
}

// judgePlain converts an answer in plain text to a draft, which is made from the first line
// that is not refused or, for demonstrations, from all lines. If all lines are refused, the
// error is the one for the first line.
func (m Material) judgePlain(answer string) (mutate.Draft, error) {
	if len(answer) > maxAnswer {
		return mutate.Draft{}, fmt.Errorf("is too long: %d bytes", len(answer))
	}
	if text := strings.TrimSpace(answer); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "```json") {
		return mutate.Draft{}, errors.New("is not the plain text that was asked for")
	}
	all := proposals(answer)
	if len(all) == 0 {
		return mutate.Draft{}, errors.New("is empty")
	}
	if m.demonstrates() {
		return m.accept(demonstrated(all), plainRationale)
	}
	var first error
	for _, line := range all {
		var d mutate.Draft
		var err error
		for _, v := range m.values(line) {
			if d, err = m.accept(v, plainRationale); err == nil {
				return d, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	return mutate.Draft{}, first
}

// values returns the values that a line may represent.
func (m Material) values(line string) []any {
	p, _ := m.Space.Lookup(m.Component)
	switch p.Kind {
	case agent.Text:
		old := strings.TrimSpace(m.Config.String(m.Component))
		if m.Form == mutate.Rewrite || old == "" {
			return []any{line}
		}
		return []any{old + "\n" + line}
	case agent.Subset:
		list := []any{}
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		return []any{list}
	}
	out := []any{line}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		out = append(out, v)
	}
	return out
}

// bullet matches a list marker at the beginning of a line.
var bullet = regexp.MustCompile(`^(?:[-*•]+|\(?\d{1,2}[.):])\s+`)

// proposals returns the lines of an answer without list markers or quotation marks.
func proposals(answer string) []string {
	var out []string
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasSuffix(line, ":") { // a fence or a heading
			continue
		}
		line = bullet.ReplaceAllString(line, "")
		if n := len(line); n > 1 && strings.ContainsRune("\"'`", rune(line[0])) && line[n-1] == line[0] {
			line = strings.TrimSpace(line[1 : n-1])
		}
		if line != "" && len(out) < linesRead {
			out = append(out, line)
		}
	}
	return out
}

// demonstrated returns the demonstrations given in lines of the form task => answer.
func demonstrated(all []string) string {
	var list []agent.Demonstration
	for _, line := range all {
		task, answer, ok := strings.Cut(line, "=>")
		task, answer = strings.TrimSpace(task), strings.TrimSpace(answer)
		if ok && task != "" && answer != "" {
			list = append(list, agent.Demonstration{Task: task, Answer: answer})
		}
	}
	return agent.FormatDemonstrations(list)
}
