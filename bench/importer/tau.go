package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"evolve/bench"
	visible "evolve/runtime/text"
)

// tauTurns limits the number of messages that the person sends in a task of tau-bench.
const tauTurns = 20

// tauScenario is a task of tau2-bench.
type tauScenario struct {
	ID       json.RawMessage `json:"id"`
	Scenario struct {
		Instructions json.RawMessage `json:"instructions"`
	} `json:"user_scenario"`
	Criteria struct {
		Actions  []tauAction       `json:"actions"`
		Informed []json.RawMessage `json:"communicate_info"`
	} `json:"evaluation_criteria"`
}

// tauInstructions holds the instructions of a person in tau2-bench if they are an object
// instead of a text.
type tauInstructions struct {
	Domain  string `json:"domain"`
	Reason  string `json:"reason_for_call"`
	Known   string `json:"known_info"`
	Unknown string `json:"unknown_info"`
	Task    string `json:"task_instructions"`
}

type tauAction struct {
	Name string `json:"name"`
	// Requestor is "user" for a call on the person's own device.
	Requestor string `json:"requestor"`
}

// tauResult is a result of tau-bench, with its task.
type tauResult struct {
	ID   json.RawMessage `json:"task_id"`
	Info struct {
		Task tauTask `json:"task"`
	} `json:"info"`
	tauTask
}

type tauTask struct {
	Instruction string            `json:"instruction"`
	Actions     []tauAction       `json:"actions"`
	Outputs     []json.RawMessage `json:"outputs"`
}

// isTau reports whether an object is a task of tau2-bench, or a task or result of tau-bench.
func isTau(r row) bool {
	if _, ok := r.find("user_scenario"); ok {
		return true
	}
	var result tauResult
	raw, err := json.Marshal(r)
	if err != nil || json.Unmarshal(raw, &result) != nil {
		return false
	}
	return result.Info.Task.Instruction != "" || result.Instruction != "" && result.Actions != nil
}

// readTau reads the tasks of tau-bench, each once. A model plays the person; the calls that
// the task expects are graded by name, because the arguments and the database that
// tau-bench compares are those of its own environment.
func readTau(c *collector, data []byte) error {
	var doc row
	if json.Unmarshal(data, &doc) == nil {
		if list, ok := doc.find("tasks"); ok {
			data = list
			c.ignore("", doc, "tasks")
		}
	}
	seen := map[string]bool{}
	repeats := 0
	err := c.eachObject(data, func(line, number int, r row) error {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		read := tauOld
		if _, ok := r.find("user_scenario"); ok {
			read = tauNew
		}
		t, calls, said, err := read(raw)
		if err != nil {
			return err
		}
		key := cmp.Or(t.ID, t.User.Goal)
		if seen[key] {
			repeats++
			return nil
		}
		seen[key] = true
		c.ignoreTau(raw, len(calls) > 0)
		if err := tauGraders(&t, calls, said); err != nil {
			return err
		}
		c.add(line, number, t)
		return nil
	})
	if repeats > 0 {
		c.note(0, "%s left out, because the task already exists", visible.Count(repeats, "further result"))
	}
	if len(c.tasks) > 0 {
		c.note(0, "the model of the default route simulates the user; only the names of the calls are graded, not their arguments or the state of a database; your agent must provide the tools itself")
	}
	return err
}

// The paths of the values that are read from a task of tau2-bench, and from a task of
// tau-bench.
var (
	tauNewRead = []string{
		"id", "user_scenario.instructions.domain", "user_scenario.instructions.reason_for_call", "user_scenario.instructions.known_info",
		"user_scenario.instructions.unknown_info", "user_scenario.instructions.task_instructions",
		"evaluation_criteria.actions.name", "evaluation_criteria.actions.requestor",
	}
	tauOldRead = []string{"task_id", "info.task.instruction", "info.task.actions.name", "instruction", "actions.name"}
)

// ignoreTau records the parts of a task of tau-bench that are not read. The information
// that the person must be given is read only if the task expects no calls; called reports
// whether the task expects calls.
func (c *collector) ignoreTau(raw []byte, called bool) {
	var s tauScenario
	if json.Unmarshal(raw, &s) != nil || len(s.Scenario.Instructions) == 0 {
		read := slices.Clone(tauOldRead)
		if !called {
			read = append(read, "info.task.outputs", "outputs")
		}
		c.ignoreIn("", raw, read...)
		return
	}
	read := slices.Clone(tauNewRead)
	if _, isText := text(s.Scenario.Instructions); isText {
		read = append(read, "user_scenario.instructions")
	}
	if !called {
		read = append(read, "evaluation_criteria.communicate_info")
	}
	c.ignoreIn("", raw, read...)
	if slices.ContainsFunc(s.Criteria.Actions, func(a tauAction) bool { return a.Requestor == "user" }) {
		c.unread["evaluation_criteria.actions of the user"]++
	}
}

// tauNew converts a task of tau2-bench. It also returns the names of the expected calls and
// the information that the agent must give.
func tauNew(raw []byte) (t bench.Task, calls, said []string, err error) {
	var s tauScenario
	if json.Unmarshal(raw, &s) != nil {
		return t, nil, nil, errors.New("does not have the form of a tau2-bench task")
	}
	t.ID, _ = text(s.ID)
	var told tauInstructions
	goal, isText := text(s.Scenario.Instructions)
	if !isText {
		if json.Unmarshal(s.Scenario.Instructions, &told) != nil {
			return t, nil, nil, errors.New("has no instructions for the user")
		}
		goal = strings.TrimSpace(told.Reason + "\n\n" + told.Task)
	}
	t.Domain, t.User = told.Domain, person(goal, told.Known)
	if told.Unknown != "" {
		t.User.Facts = append(t.User.Facts, "not known: "+told.Unknown)
	}
	for _, a := range s.Criteria.Actions {
		if a.Requestor != "user" {
			calls = append(calls, a.Name)
		}
	}
	return t, calls, scalars(s.Criteria.Informed), nil
}

// tauOld converts a task or a result of tau-bench. It also returns the names of the
// expected calls and the information that the agent must give.
func tauOld(raw []byte) (t bench.Task, calls, said []string, err error) {
	var r tauResult
	if json.Unmarshal(raw, &r) != nil {
		return t, nil, nil, errors.New("does not have the form of a tau-bench result")
	}
	task := r.Info.Task
	if task.Instruction == "" {
		task = r.tauTask
	}
	if id, ok := text(r.ID); ok {
		t.ID = "tau-" + id
	}
	t.User = person(task.Instruction)
	for _, a := range task.Actions {
		calls = append(calls, a.Name)
	}
	return t, calls, scalars(task.Outputs), nil
}

func person(goal string, facts ...string) *bench.SimulatedUser {
	u := &bench.SimulatedUser{Goal: strings.TrimSpace(goal), MaxTurns: tauTurns}
	for _, f := range facts {
		if f = strings.TrimSpace(f); f != "" {
			u.Facts = append(u.Facts, f)
		}
	}
	return u
}

func scalars(list []json.RawMessage) []string {
	var out []string
	for _, raw := range list {
		if s, ok := text(raw); ok && strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// tauGraders gives a task a grader for each tool that has to be called. A task without
// calls is graded by what the last answer contains.
func tauGraders(t *bench.Task, calls, said []string) error {
	slices.Sort(calls)
	for _, name := range slices.Compact(calls) {
		spec, err := grader(map[string]any{"type": "tool_called", "tool": name})
		if err != nil {
			return err
		}
		t.Graders = append(t.Graders, spec)
	}
	if len(t.Graders) > 0 {
		return nil
	}
	if len(said) == 0 {
		return errors.New("expects neither calls nor information: only the database of tau-bench could show whether the agent succeeded")
	}
	spec, err := grader(map[string]any{"type": "contains", "all": said, "ignore_case": true})
	t.Graders = append(t.Graders, spec)
	return err
}
