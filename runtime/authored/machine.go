package authored

import (
	"errors"
	"fmt"
	"strings"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"evolve/runtime/tool"
)

// These limits apply to the output of a call, in bytes, and to the number of compiled
// programs that are cached.
const (
	maxPrinted  = 4 << 10
	maxText     = 500
	maxPrograms = 64
)

// machine runs tools inside the child. It caches compiled programs but retains no state
// between calls: each call has its own thread and globals.
type machine struct {
	steps    uint64
	programs map[string]*starlark.Program
	world    starlark.StringDict
	decode   starlark.Value // json.decode of world
}

func newMachine(steps uint64) *machine {
	world := operators()
	world["int"] = starlark.NewBuiltin("int", toInt)
	world["json"], world["math"] = jsonModule(), starmath.Module
	world.Freeze()
	return &machine{steps: steps, programs: map[string]*starlark.Program{}, world: world, decode: starlark.NewBuiltin("json.decode", decodeJSON)}
}

// dialect returns language options that exclude while loops and recursion, so the work of
// a call is bounded by its data.
func dialect() *syntax.FileOptions { return &syntax.FileOptions{Set: true} }

// call runs one tool on the arguments of the request.
func (m *machine) call(r request) reply {
	program, err := m.program(r)
	if err != nil {
		return explain(noProgram, err)
	}
	var printed strings.Builder
	thread := &starlark.Thread{
		Name: r.Name,
		Print: func(_ *starlark.Thread, text string) {
			if room := maxPrinted - printed.Len(); room > 0 {
				printed.WriteString(head(text+"\n", room))
			}
		},
	}
	thread.SetMaxExecutionSteps(m.steps)
	out := m.run(thread, program, string(r.Args))
	out.Printed, out.Steps = printed.String(), thread.ExecutionSteps()
	return out
}

// program returns the compiled source, from the cache if possible.
func (m *machine) program(r request) (*starlark.Program, error) {
	if p := m.programs[r.Hash]; p != nil {
		return p, nil
	}
	f, err := dialect().Parse(r.Name+".star", r.Source, 0)
	if err != nil {
		return nil, err
	}
	if err := bound(f); err != nil {
		return nil, err
	}
	p, err := starlark.FileProgram(f, m.world.Has)
	if err != nil {
		return nil, err
	}
	if p.NumLoads() > 0 {
		return nil, errors.New("load statements are not allowed")
	}
	if len(m.programs) >= maxPrograms {
		clear(m.programs)
	}
	m.programs[r.Hash] = p
	return p, nil
}

func (m *machine) run(thread *starlark.Thread, program *starlark.Program, args string) reply {
	fail := func(e ending, err error) reply {
		if thread.ExecutionSteps() >= m.steps {
			return reply{Ending: steps, Text: fmt.Sprintf("stopped after %d steps", m.steps)}
		}
		return explain(e, err)
	}
	globals, err := program.Init(thread, m.world)
	if err != nil {
		return fail(noProgram, err)
	}
	globals.Freeze()
	run, ok := globals["run"].(*starlark.Function)
	if !ok || run.NumParams() != 1 || run.HasVarargs() || run.HasKwargs() {
		return reply{Ending: noProgram, Text: "there is no function run(args)"}
	}
	in, err := starlark.Call(thread, m.decode, starlark.Tuple{starlark.String(args)}, nil)
	if err != nil {
		return fail(failure, err)
	}
	result, err := starlark.Call(thread, run, starlark.Tuple{in}, nil)
	if err != nil {
		return fail(failure, err)
	}
	text, err := starlark.Call(thread, starjson.Module.Members["encode"], starlark.Tuple{result}, nil)
	if err != nil {
		return fail(unfit, err)
	}
	out := string(text.(starlark.String))
	if len(out) > tool.MaxOutput {
		return reply{Ending: unfit, Text: fmt.Sprintf("result has %d bytes, but at most %d are allowed", len(out), tool.MaxOutput)}
	}
	return reply{Ending: value, Value: []byte(out)}
}

// explain returns the reply for a failure, with the error's text on one line and the line
// of the source on which it occurred.
func explain(e ending, err error) reply {
	out := reply{Ending: e, Text: err.Error()}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		for i := range len(eval.CallStack) {
			if pos := eval.CallStack.At(i).Pos; pos.Line > 0 {
				out.Line = int(pos.Line)
				out.Text = fmt.Sprintf("%s (line %d)", head(out.Text, maxText), out.Line)
				break
			}
		}
	}
	out.Text = head(strings.Join(strings.Fields(out.Text), " "), maxText+20)
	return out
}
