package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
	"evolve/runtime/text"
)

// Runner runs the program of a command grader in a sandbox without network and with an
// empty environment. The suite's folder is readable, and only the workdir is writable. An
// error means that the program could not be started or that the sandbox failed.
type Runner interface {
	RunGrader(ctx context.Context, p Program) (Exit, error)
	// AskGrader passes p.Stdin, a line with the id p.ID, to a running process of the
	// program or to a new one. It passes the program's answer to accept: one line of at
	// most 1 MB, without its line break. An error returned by accept ends the process and
	// is returned; a [Failure] is a failure of the program.
	AskGrader(ctx context.Context, p Program, accept func(line []byte) error) error
}

// Program is one call of a command grader.
type Program struct {
	Argv []string
	// Dir is the suite's folder, in which the program runs.
	Dir string
	// Workdir is the working directory as the agent left it; it is empty if the task has no
	// files.
	Workdir string
	Stdin   []byte
	// ID is the id in Stdin if the program grades line by line.
	ID      string
	Timeout time.Duration
	// MaxOutput limits standard output and standard error to this number of bytes each.
	MaxOutput int
}

// Exit is the result of the program.
type Exit struct {
	Code           int // -1 when it was ended by a signal
	Stdout, Stderr []byte
	TimedOut       bool
	// Truncated reports whether there was more output than MaxOutput.
	Truncated bool
}

const (
	graderTimeout = 60.0  // seconds, the default
	maxTimeout    = 3600. // seconds
	graderOutput  = 1 << 20
)

// commandInput is the one JSON object on the program's standard input.
type commandInput struct {
	// Task is the suite line.
	Task *bench.Task `json:"task"`
	// Messages is the conversation before the answer, if the task has a script.
	Messages []agent.Message `json:"messages,omitempty"`
	// Answer is null when there is none.
	Answer  *string       `json:"answer"`
	Outcome agent.Outcome `json:"outcome"`
	Workdir string        `json:"workdir,omitempty"`
}

// command grades with a program that is started for each answer; see [askProgram] for one
// that keeps running. The program gets {"task","answer","outcome","workdir"}, and for a
// scripted conversation also "messages", as one JSON object on standard input; agent
// output is never part of its command line. If the program writes no output, exit code 0
// means a score of 1, and exit code 1 means a score of 0. Otherwise the last line of its
// output must be {"score": 0 to 1, "reason": text}, in which either key is optional, and
// that score replaces the score of the exit code. The following are errors and mean that
// the grader is broken: any other last line, any other exit code, a timeout, and exit
// code 1 with text on standard error and no verdict, as after an interpreter's uncaught
// exception.
//
// Stored scores are reused as long as these rules stay the same, so a change to the rules
// must also change their version in bench.HashTask. A program that runs the agent's files
// runs them with its own rights, so it should not trust output that the agent's code can
// write.
func command(b *builder) scorer {
	argv := b.texts("argv")
	if len(argv) == 0 && len(b.problems) == 0 {
		b.problem("", "needs %q", "argv")
	}
	for _, word := range argv {
		if strings.ContainsRune(word, 0) {
			b.problem("argv", "has an argument with a NUL byte")
		}
	}
	if len(argv) > 0 && strings.Contains(argv[0], "/") && !strings.HasPrefix(argv[0], "/") {
		if problem := bench.PathProblem(strings.TrimPrefix(argv[0], "./")); problem != "" {
			b.problem("argv", "the program %s %s", show(argv[0]), problem)
		}
	}
	if len(argv) > 0 && argv[0] == "" {
		b.problem("argv", "names no program")
	}
	timeout := time.Duration(b.number("timeout", graderTimeout, .001, maxTimeout) * float64(time.Second))
	runner, dir := b.runner, b.suiteDir
	if pooled(b) {
		return askProgram(runner, Program{Argv: argv, Dir: dir, Timeout: timeout, MaxOutput: graderOutput})
	}
	return func(ctx context.Context, in *bench.GradeInput) (judgement, error) {
		stdin, err := json.Marshal(commandInput{in.Task, conversation(in.Exchanges), in.Result.Answer, in.Result.Outcome, in.Workdir})
		if err != nil {
			return judgement{}, fmt.Errorf("pass the result to the grader: %w", err)
		}
		exit, err := runner.RunGrader(ctx, Program{
			Argv: argv, Dir: dir, Workdir: in.Workdir, Stdin: append(stdin, '\n'), Timeout: timeout, MaxOutput: graderOutput,
		})
		if err != nil {
			return judgement{}, broken(argv, dir, fmt.Errorf("run %s: %w", named(argv), err))
		}
		v, err := exit.verdict(timeout)
		if err != nil {
			failure := broken(argv, dir, fmt.Errorf("%s %w", named(argv), err))
			failure.Crashed = errors.As(err, new(crash))
			failure.Unstartable = failure.Unstartable || exit.Code == notExecutable || exit.Code == notFound
			return judgement{}, failure
		}
		return v, nil
	}
}

// conversation returns the messages before the answer of the last exchange.
func conversation(exchanges []bench.Exchange) []agent.Message {
	if len(exchanges) == 0 {
		return nil
	}
	last := exchanges[len(exchanges)-1]
	return append(slices.Clone(last.Earlier), agent.Message{Role: "user", Content: last.User})
}

// crash is the error of a program that ended with an error instead of a verdict.
type crash string

func (c crash) Error() string { return string(c) }

// verdict derives the verdict from the program's exit code and output.
func (e Exit) verdict(timeout time.Duration) (judgement, error) {
	switch {
	case e.TimedOut:
		return judgement{}, fmt.Errorf("took longer than %s", timeout)
	case e.Code != 0 && e.Code != 1:
		return judgement{}, crash(fmt.Sprintf("ended with exit code %d%s", e.Code, lastWords(e.Stderr)))
	case e.Truncated:
		return judgement{}, errors.New("wrote too much output")
	}
	v := yes(e.Code == 0, "the program ended with exit code %d", e.Code)
	last := lastLine(e.Stdout)
	// An uncaught exception ends an interpreter with exit code 1, as a failed check does,
	// but only the exception leaves a message on standard error.
	if said := lastWords(e.Stderr); e.Code == 1 && said != "" && !bytes.HasPrefix(last, []byte("{")) {
		return judgement{}, crash("ended with exit code 1 and no verdict" + said)
	}
	if len(last) == 0 {
		return v, nil
	}
	var said said
	if err := decodeVerdict(last, &said, "last line"); err != nil {
		return judgement{}, err
	}
	return said.over(v)
}

// named returns a program's whole command line, quoted for messages, so that a message also
// names the script of an interpreter.
func named(argv []string) string { return show(strings.Join(argv, " ")) }

// The exit codes by which a shell reports that a command cannot be executed, and that a
// command does not exist.
const (
	notExecutable = 126
	notFound      = 127
)

// broken returns err as the error of a grader's program that runs in dir, and records
// whether the program or its script is missing.
func broken(argv []string, dir string, err error) *bench.GraderError {
	script := Script(argv)
	if script != "" && !filepath.IsAbs(script) {
		script = filepath.Join(dir, filepath.FromSlash(script))
	}
	gone := errors.Is(err, sandbox.ErrProgram)
	if script != "" && !gone {
		_, statErr := os.Stat(script)
		gone = errors.Is(statErr, fs.ErrNotExist)
	}
	return &bench.GraderError{Argv: argv, Err: err, Unstartable: gone}
}

// said holds the score and the reason that a program writes for an answer.
type said struct {
	Score  *float64 `json:"score"`
	Reason string   `json:"reason"`
}

// over returns v with the program's score and reason in place of its own. A value that
// the program omits stays as it is in v.
func (s said) over(v judgement) (judgement, error) {
	if s.Score != nil {
		if !(*s.Score >= 0 && *s.Score <= 1) {
			return judgement{}, fmt.Errorf("gave the score %v, which is not between 0 and 1", *s.Score)
		}
		v.score = *s.Score
	}
	if s.Reason != "" {
		v.reason = s.Reason
	}
	return v, nil
}

// decodeVerdict strictly decodes a line. Errors refer to the line by the given name.
func decodeVerdict(line []byte, to any, name string) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil || !json.Valid(line) {
		return fmt.Errorf("wrote a %s that is not a verdict: %s: %s", name, show(string(line)), noVerdict(line, err))
	}
	if key, twice := text.RepeatedKey(line, strings.EqualFold); twice {
		return fmt.Errorf("wrote a verdict that gives %s twice", show(key))
	}
	return nil
}

// noVerdict returns the reason why a line is not a verdict; err is the error from decoding
// it.
func noVerdict(line []byte, err error) string {
	var other *json.UnmarshalTypeError
	switch {
	case !json.Valid(line):
		return `it is not JSON such as {"score": 0.5}`
	case !errors.As(err, &other):
		_, key, _ := strings.Cut(err.Error(), "unknown field ")
		return "there is no key " + key
	}
	is, known := map[string]string{"string": "text", "bool": "true or false", "array": "a list", "object": "an object"}[other.Value]
	if !known {
		is = "a number"
	}
	field := other.Field[strings.LastIndexByte(other.Field, '.')+1:] // only the last name of the path
	if field == "" {
		return "a verdict is a JSON object, not " + is
	}
	wanted := "text"
	if other.Type.Kind() == reflect.Float64 {
		wanted = "a number"
		if is == "a number" {
			return fmt.Sprintf("%q is a number that is too large", field)
		}
	}
	return fmt.Sprintf("%q must be %s, not %s", field, wanted, is)
}

func lastLine(out []byte) []byte {
	out = bytes.TrimSpace(out)
	return bytes.TrimSpace(out[bytes.LastIndexByte(out, '\n')+1:])
}

func lastWords(stderr []byte) string {
	if line := lastLine(stderr); len(line) > 0 {
		return ": " + show(string(line))
	}
	return ""
}
