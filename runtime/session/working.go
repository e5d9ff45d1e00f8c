package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// MaxWorkingTokens limits the size of the working state, in [memory.Tokens].
const MaxWorkingTokens = 512

// Limits on the parts of a working state, in bytes per line and entries per list. Together
// they stay below [MaxWorkingTokens].
const (
	maxStateLine = 300
	maxStateList = 8
	maxStateName = 40
)

// Turn is a finished turn, from which the working state is extracted.
type Turn struct {
	Goal    string
	Outcome agent.Outcome
	// Why is the result's error, which explains why the outcome is not ok.
	Why    string
	Answer string
	// Value is the shortest form of the answer; if it is empty, the answer is used.
	Value string
	// Unsure reports whether the answer only stands in for a missing one.
	Unsure bool
	// Calls holds the tool calls, oldest first.
	Calls []Call
}

// Call is one call of a tool, with its outcome.
type Call struct {
	Tool    string
	Outcome agent.Outcome
}

// Working returns the state for the next turn: the goal, the outcome, the value of the
// answer, the tools with their outcomes, the tools whose last call failed, and open
// questions. It is a pure function, and every part is one line.
func Working(t Turn) string {
	var lines []string
	add := func(name, text string) {
		if text = memory.Cut(text, maxStateLine); text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	add("goal", clean(head(t.Goal)))
	outcome := clean(string(t.Outcome))
	if why := clean(head(t.Why)); why != "" {
		outcome += ", " + why
	}
	add("outcome", outcome)
	value := t.Value
	if value == "" {
		value = t.Answer
	}
	if !t.Unsure {
		add("answer", clean(head(value)))
	}
	tools, failed := used(t.Calls)
	add("tools", strings.Join(tools, ", "))
	add("unresolved", strings.Join(failed, ", "))
	add("open", strings.Join(open(t), " "))
	return strings.Join(lines, "\n")
}

// BoundWorking returns a working state taken from foreign text, such as a stored session:
// lines without invisible characters, with at most [MaxWorkingTokens].
func BoundWorking(text string) string {
	return bounded(text, MaxWorkingTokens*4)
}

// used returns the number of successful calls of each tool, in the order of the tools'
// first calls, and the tools whose last call failed.
func used(calls []Call) (tools, failed []string) {
	type tally struct {
		name      string
		calls, ok int
		last      agent.Outcome
	}
	var tallies []tally
	for _, c := range calls {
		name := cmp.Or(memory.Cut(clean(c.Tool), maxStateName), "unnamed")
		i := slices.IndexFunc(tallies, func(t tally) bool { return t.name == name })
		if i < 0 {
			if len(tallies) == maxStateList {
				continue
			}
			i = len(tallies)
			tallies = append(tallies, tally{name: name})
		}
		t := &tallies[i]
		t.calls++
		if t.last = c.Outcome; c.Outcome == agent.OK {
			t.ok++
		}
	}
	for _, t := range tallies {
		tools = append(tools, fmt.Sprintf("%s %d of %d ok", t.name, t.ok, t.calls))
		if t.last != agent.OK {
			failed = append(failed, fmt.Sprintf("%s (%s)", t.name, memory.Cut(clean(string(t.last)), maxStateName)))
		}
	}
	return tools, failed
}

// open returns the questions in the answer. Without an answer, the goal itself is the open
// question; it is only mentioned here, because its text is on another line of the state.
func open(t Turn) []string {
	if t.Unsure || t.Outcome != agent.OK {
		return []string{"the goal"}
	}
	var questions []string
	memory.EachSentence(head(t.Answer), func(s string) bool {
		if strings.HasSuffix(s, "?") {
			questions = append(questions, memory.Cut(clean(s), maxStateLine/2))
		}
		return len(questions) < maxStateList
	})
	return questions
}
