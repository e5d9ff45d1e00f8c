package grade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"evolve/bench"
)

// jsonl is the protocol of programs that keep running and grade answers line by line;
// without it a program is started for each answer.
const jsonl = "jsonl"

// Failure is a failure of a program that grades line by line, as opposed to a failure of
// the machine.
type Failure struct {
	// Text continues a sentence that begins with the program: "ended with exit code 2".
	Text string
	// Stderr is the end of the program's standard error, if that may name the cause.
	Stderr string
	// Crashed reports whether the program ended before it answered.
	Crashed bool
	// Late reports whether the program gave no answer in time; Text is then empty.
	Late bool
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Late {
		return "the program gave no answer in time"
	}
	return "the program " + f.Text
}

// pooled reads the field protocol and reports whether the program keeps running between
// answers. Such a program sees no working directory, because the directories of later
// answers do not exist when it starts.
func pooled(b *builder) bool {
	if !b.has("protocol") {
		return false
	}
	switch protocol := b.text("protocol"); {
	case protocol == "":
		return false
	case protocol != jsonl:
		b.problem("protocol", "the protocol %s is unknown: use %q, or omit \"protocol\" to start the program for each answer", show(protocol), jsonl)
		return false
	case b.task.Fixtures.HasFiles():
		b.problem("protocol", "a program that uses the protocol %q cannot see the files of this task: omit \"protocol\" so that the program is started for each answer", jsonl)
		return false
	}
	return true
}

// askProgram grades with a program that keeps running. The program gets the JSON object
// described at [command] on one line, with "id" and without "workdir", and answers with the
// line {"id","score","reason"}, in which only the reason is optional. The id is random, so
// no agent can have prepared a program that writes a verdict with that id. Any other line,
// the end of the program and a timeout are errors: the grader is broken.
func askProgram(runner Runner, p Program) scorer {
	return func(ctx context.Context, in *bench.GradeInput) (judgement, error) {
		p := p
		p.ID = bench.OpaqueName()
		line, err := json.Marshal(question{p.ID, commandInput{Task: in.Task, Messages: conversation(in.Exchanges), Answer: in.Result.Answer, Outcome: in.Result.Outcome}})
		if err != nil {
			return judgement{}, fmt.Errorf("pass the result to the grader: %w", err)
		}
		p.Stdin = append(line, '\n')
		var v judgement
		var wrong error
		err = runner.AskGrader(ctx, p, func(line []byte) error {
			v, wrong = verdictOn(line, p.ID)
			return wrong
		})
		var failed *Failure
		switch {
		case err == nil:
			return v, nil
		case wrong != nil:
			return judgement{}, broken(p.Argv, p.Dir, fmt.Errorf("%s %w", named(p.Argv), wrong))
		case !errors.As(err, &failed):
			return judgement{}, broken(p.Argv, p.Dir, fmt.Errorf("run %s: %w", named(p.Argv), err))
		case failed.Late:
			return judgement{}, broken(p.Argv, p.Dir, fmt.Errorf("%s took longer than %s", named(p.Argv), p.Timeout))
		}
		failure := broken(p.Argv, p.Dir, fmt.Errorf("%s %s%s", named(p.Argv), failed.Text, lastWords([]byte(failed.Stderr))))
		failure.Crashed = failed.Crashed
		return judgement{}, failure
	}
}

// question is a line for a program that keeps running.
type question struct {
	ID string `json:"id"`
	commandInput
}

// verdictOn reads a line as the verdict on the question with the given id.
func verdictOn(line []byte, id string) (judgement, error) {
	var s struct {
		ID string `json:"id"`
		said
	}
	if err := decodeVerdict(line, &s, "line"); err != nil {
		return judgement{}, err
	}
	switch {
	case s.ID != id:
		return judgement{}, fmt.Errorf("answered with the id %s instead of the id of the question", show(s.ID))
	case s.Score == nil:
		return judgement{}, errors.New("wrote a verdict without a score")
	}
	return s.over(judgement{reason: "the program gave no reason"})
}
