package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// MaxTurns is the maximum number of turns in a scripted conversation.
const MaxTurns = 100

// Turn is one message of the user in a scripted conversation. Its JSON form is the message
// on its own, or an object.
type Turn struct {
	User string `json:"user"`
	// Graders grade the answer to this message, in addition to the graders of the task,
	// which grade the last answer. If this list is empty, the exact grader compares the
	// answer to this message with Answer, if that is set.
	Graders []GraderSpec `json:"graders,omitempty"`
	// Answer is the reference answer of this turn, if there is one. Agents never see it.
	Answer *string `json:"answer,omitempty"`
}

// graded reports whether the answer to this message is graded on its own.
func (u Turn) graded() bool { return len(u.Graders) > 0 || u.Answer != nil }

// MarshalJSON returns the message as a JSON string if the turn has nothing else.
func (u Turn) MarshalJSON() ([]byte, error) {
	if !u.graded() {
		return foreign.Marshal(u.User)
	}
	type object Turn
	return foreign.Marshal(object(u))
}

// UnmarshalJSON decodes a JSON string or an object.
func (u *Turn) UnmarshalJSON(data []byte) error {
	*u = Turn{}
	if json.Unmarshal(data, &u.User) == nil {
		return nil
	}
	type object Turn
	return json.Unmarshal(data, (*object)(u))
}

// AtTurn returns a task with the reference and the graders of turn i, counted from 0, for
// grading that turn's answer. Its script ends with this turn.
func (t *Task) AtTurn(i int) *Task {
	at := *t
	at.Turns = t.Turns[:i+1]
	at.Answer, at.Graders = t.Turns[i].Answer, t.Turns[i].Graders
	return &at
}

// Steps returns the task itself, followed by one task for each turn that has graders of
// its own.
func (t *Task) Steps() []*Task {
	out := []*Task{t}
	for i := range t.Turns {
		if t.Turns[i].graded() {
			out = append(out, t.AtTurn(i))
		}
	}
	return out
}

// AgentTasks returns the task as an agent gets it, with one entry per turn for a scripted
// conversation. The messages before a later turn do not include the agent's answers,
// because these are not known yet.
func (t *Task) AgentTasks() []agent.Task {
	out := []agent.Task{t.ForAgent()}
	for i := 1; i < len(t.Turns); i++ {
		next := out[0]
		next.Goal = t.Turns[i].User
		next.Messages = slices.Clone(next.Messages)
		for _, said := range t.Turns[:i] {
			next.Messages = append(next.Messages, agent.Message{Role: userRole, Content: said.User})
		}
		out = append(out, next)
	}
	if t.User != nil { // the simulated user's messages are unknown, but they concern that user's goal
		next := out[len(out)-1]
		next.Messages = append(slices.Clone(next.Messages), agent.Message{Role: userRole, Content: next.Goal})
		next.Goal = t.User.Goal
		out = append(out, next)
	}
	return out
}

// checkTurns checks the script of a task that could be decoded.
func (l *suiteReader) checkTurns(t *Task, n jsonNode, report func(int, string)) {
	turns, ok := n.get("turns")
	if !ok {
		return
	}
	if goal, ok := n.get("goal"); ok {
		report(goal.off, `"goal" and "turns" are mutually exclusive: the first message of "turns" is the goal`)
	}
	switch {
	case len(t.Turns) == 0:
		report(turns.off, `"turns" has no messages`)
	case len(t.Turns) > MaxTurns:
		report(turns.off, fmt.Sprintf(`"turns" has %d messages; at most %d are allowed`, len(t.Turns), MaxTurns))
	}
}

// notBlank returns what is wrong with a blank message in a script; it returns "" for any
// other message.
func notBlank(n jsonNode) string {
	if strings.TrimSpace(n.text) == "" {
		return "is empty"
	}
	return ""
}
