package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// Split is the set of tasks, search or holdout, to which a task belongs.
type Split string

// Search tasks may be seen by the searcher; Holdout tasks are reserved for confirmation.
// Aside marks a search task that has an exact duplicate in the holdout; such a task is used
// for neither purpose. A suite file must not contain Aside.
const (
	Search  Split = "search"
	Holdout Split = "holdout"
	Aside   Split = "aside"
)

// Task is one problem with its graders. Its JSON form is a suite line.
type Task struct {
	ID     string `json:"id"`
	Domain string `json:"domain,omitempty"`
	// Goal is the request, Messages is a whole conversation, and Turns is the script of a
	// conversation, which replaces Goal and follows Messages. At least one of them, or
	// Input, is set.
	Goal     string          `json:"goal,omitempty"`
	Messages []agent.Message `json:"messages,omitempty"`
	Turns    []Turn          `json:"turns,omitempty"`
	// User is the simulated user who continues the conversation after Turns. Turns may be
	// empty if User is set.
	User     *SimulatedUser  `json:"user,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Fixtures Fixtures        `json:"fixtures,omitzero"`
	// Graders grade the last answer of a conversation, and are combined by weight with the
	// graders of Turns. Without any, the exact grader compares the answer with Answer.
	Graders []GraderSpec `json:"graders,omitempty"`
	// Answer is the reference answer, if there is one. Agents never see it.
	Answer *string `json:"answer,omitempty"`
	// Weight is the task's weight in the suite's mean; 0 is read as 1.
	Weight float64  `json:"weight,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Source *Source  `json:"source,omitempty"`
	// Cluster is shared by tasks that are variations of one another and is the unit of
	// statistics. If it is empty, the task is its own cluster.
	Cluster string `json:"cluster,omitempty"`
	Split   Split  `json:"split,omitempty"`
	// DuplicateOf is the smallest id in this task's group of near-duplicates; it is empty
	// if the task belongs to no such group. If the task declares a cluster, only
	// near-duplicates in other suites count.
	DuplicateOf string `json:"-"`
}

// Fixtures are the files, memories and messages that a task provides for the agent.
type Fixtures struct {
	// Files maps slash-separated relative paths to contents. The files are written into the
	// workdir.
	Files map[string]string `json:"files,omitempty"`
	// Dir is a folder of the suite, relative to the suite file. Its files are written into
	// the workdir too.
	Dir string `json:"dir,omitempty"`
	// Memories extend the agent's memory for this task.
	Memories []agent.Memory `json:"memories,omitempty"`
	// Turns are earlier messages of the same conversation.
	Turns []agent.Message `json:"turns,omitempty"`
}

// IsZero reports whether there are no fixtures.
func (f Fixtures) IsZero() bool {
	return len(f.Files) == 0 && f.Dir == "" && len(f.Memories) == 0 && len(f.Turns) == 0
}

// Source is the provenance of a task.
type Source struct {
	Session string `json:"session,omitempty"`
	// Author is the person who approved the answer, and Approval is how they approved it.
	Author   string `json:"author,omitempty"`
	Approval string `json:"approval,omitempty"`
	// File is the name of the log. Line is the number of the conversation's line in the
	// log, or 0 if the log has no lines.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Digest is the SHA-256, in hexadecimal, of the conversation as it was read.
	Digest string `json:"digest,omitempty"`
}

// GraderSpec declares one grader. Raw holds the whole object, from which each grader type
// decodes its own fields.
type GraderSpec struct {
	Type string
	// Weight is the grader's weight among the task's graders; 0 is read as 1.
	Weight float64
	// Threshold is the score at which the grader passes; 0 is read as the type's default (1
	// for most).
	Threshold float64
	// Not inverts the grader's score and whether it passes.
	Not bool
	Raw json.RawMessage
}

// MarshalJSON returns the JSON object from which the grader was decoded.
func (g GraderSpec) MarshalJSON() ([]byte, error) {
	if len(g.Raw) > 0 {
		return g.Raw, nil
	}
	return json.Marshal(map[string]string{"type": g.Type})
}

// UnmarshalJSON decodes the common fields and keeps the whole object in Raw.
func (g *GraderSpec) UnmarshalJSON(data []byte) error {
	var head struct {
		Type      string  `json:"type"`
		Weight    float64 `json:"weight"`
		Threshold float64 `json:"threshold"`
		Not       bool    `json:"not"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	*g = GraderSpec{
		Type: head.Type, Weight: head.Weight, Threshold: head.Threshold, Not: head.Not,
		Raw: append(json.RawMessage(nil), data...),
	}
	return nil
}

// Unit returns the id of the cluster to which the task belongs in the statistics.
func (t *Task) Unit() string {
	switch {
	case t.DuplicateOf != "":
		return t.DuplicateOf
	case t.Cluster != "":
		return t.Cluster
	}
	return t.ID
}

// Importance returns the task's weight, which is 1 by default.
func (t *Task) Importance() float64 {
	if t.Weight > 0 {
		return t.Weight
	}
	return 1
}

// Suite is a set of tasks with unique ids, each with its split assigned.
type Suite struct {
	Name  string
	Tasks []Task
	// Hash is the SHA-256, in hexadecimal, of every task's canonical line and fixture
	// folder.
	Hash string
	// Judges identifies the models behind the graders of type judge; it is empty if there
	// are none.
	Judges string
	// JudgeTerms are the settings of the judge graders, in words.
	JudgeTerms JudgeTerms
	// Dir is the folder of the suite file; the paths of fixture folders are relative to it.
	Dir string
	// Duplicates are the groups of tasks that are variations of one another and are not in
	// the same declared cluster.
	Duplicates []Duplicates
	// declared holds the split that the author gave each task; an entry is empty if the
	// author gave none.
	declared []Split
}

// Side returns the tasks of one split, in file order.
func (s *Suite) Side(split Split) []*Task {
	var out []*Task
	for i := range s.Tasks {
		if s.Tasks[i].Split == split {
			out = append(out, &s.Tasks[i])
		}
	}
	return out
}

// SelfContained reports whether the request is the whole task, which means that the agent
// gets no files, memories, earlier messages or input in addition to it.
func (t *Task) SelfContained() bool {
	parts := len(t.Messages) + len(t.Turns)
	if t.User != nil {
		return false
	}
	if t.Goal != "" {
		parts++
	}
	if len(t.Input) > 0 {
		parts++
	}
	return parts == 1 && t.Fixtures.IsZero()
}

// Request returns the text of the task's request: its goal, the messages of its script (one
// per line), its last message or its input, whichever it has.
func (t *Task) Request() string {
	switch {
	case t.Goal != "":
		return t.Goal
	case len(t.Turns) > 0:
		said := make([]string, len(t.Turns))
		for i, u := range t.Turns {
			said[i] = u.User
		}
		return strings.TrimSpace(strings.Join(said, "\n") + "\n" + t.User.text())
	case t.User != nil:
		return t.User.text()
	case len(t.Messages) > 0:
		return t.Messages[len(t.Messages)-1].Content
	}
	return string(t.Input)
}

// Question returns the task's request and its correct answer, for a person to read. goal is
// the goal with its input, or the last message. expected is the reference with the fields
// specific to each grader, and may be empty. Agents never see expected.
func (t *Task) Question() (goal, expected string) {
	goal = t.Request()
	if (t.Goal != "" || len(t.Turns) > 0) && len(t.Input) > 0 {
		goal += "\n" + string(t.Input)
	}
	parts := t.expectations()
	for i := range t.Turns {
		if t.Turns[i].graded() {
			parts = append(parts, fmt.Sprintf("turn %d: %s", i+1, strings.Join(t.AtTurn(i).expectations(), "; ")))
		}
	}
	return goal, strings.Join(parts, "; ")
}

// expectations returns the reference of a task, if it has one, followed by the specific
// fields of each grader that has such fields.
func (t *Task) expectations() (parts []string) {
	if t.Answer != nil {
		parts = append(parts, *t.Answer)
	}
	for _, g := range t.Graders {
		var own map[string]json.RawMessage
		if json.Unmarshal(g.Raw, &own) != nil {
			continue
		}
		for _, common := range []string{"type", "weight", "threshold", "not"} {
			delete(own, common)
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(own)) {
			value := strings.TrimSpace(string(own[name]))
			if texts := textsOf(own[name]); len(texts) == 1 {
				value = texts[0]
			}
			fields = append(fields, name+" "+value)
		}
		if len(fields) == 0 {
			continue
		}
		what := g.Type
		if g.Not {
			what = "not " + what
		}
		parts = append(parts, what+": "+strings.Join(fields, ", "))
	}
	return parts
}
