package authored

import (
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
	"evolve/runtime/tool"
)

// failures calls a tool through a registry, which checks arguments, and returns the outcome
// with the cause that is counted.
func failures(t *testing.T, ctx context.Context, p *Pool, d Definition, args string) (tool.Result, string) {
	t.Helper()
	cause := ""
	tools := p.Tools([]Definition{d}, Options{Failed: func(_ Definition, c string, _ agent.Outcome) { cause = c }})
	r, err := tool.NewRegistry(tool.Options{}, tools...)
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Call(ctx, tool.NewEnv(""), tool.Invocation{Name: d.Name, Arguments: []byte(args)})
	if err != nil {
		t.Fatal(err)
	}
	return res, cause
}

func TestCausesInTheToolItself(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		p.settings.Steps = 100_000
		for source, want := range map[string]string{
			"def run(args):\n  x = 1\n  return args[\"b\"]\n":                               "error in line 3",
			"def run(args):\n  fail(\"no idea\")\n":                                         "error in line 2",
			"def run(args):\n  for i in range(1 << 40):\n    pass\n":                        causeTime,
			"def run(args):\n  x = [0]\n  for i in range(60):\n    x = x + x\n  return 1\n": causeMemory,
			"def run(args):\n  return run\n":                                                causeResult,
			"def run(args):\n  return {\"refer\": {}}\n":                                    causeReferral,
			"def ran(args):\n  return 1\n":                                                  causeProgram,
		} {
			if res, cause := failures(t, t.Context(), p, definition(source), `{}`); cause != want {
				t.Errorf("%s: %q for %s %s, want %q", source, cause, res.Outcome, res.Output, want)
			}
		}
	})
}

// TestCausesElsewhere checks failures that are not caused by the tool.
func TestCausesElsewhere(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	narrow := definition(sum)
	narrow.Schema = []byte(`{"type":"object","required":["numbers"]}`)
	if res, cause := failures(t, t.Context(), p, narrow, `{}`); cause != "" || res.Outcome != agent.ContractViolation {
		t.Errorf("arguments that the schema refuses: %q, %+v", cause, res)
	}
	if res, cause := failures(t, t.Context(), p, definition(sum), `{"numbers":["x"]}`); cause != "" || res.Outcome != agent.Execution {
		t.Errorf("arguments that the tool refuses, as tested: %q, %+v", cause, res)
	}
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		},
		"the caller's deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		},
	} {
		ctx, cancel := end(t.Context())
		if res, cause := failures(t, ctx, p, definition(endless), `{}`); cause != "" || res.Outcome == agent.OK {
			t.Errorf("%s: %q, %+v", name, cause, res)
		}
		cancel()
	}
	// A sibling occupies the only process.
	p.slots <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if res, cause := failures(t, ctx, p, definition(echo), `{}`); cause != "" || res.Outcome != agent.Timeout {
		t.Errorf("behind a sibling: %q, %+v", cause, res)
	}
	<-p.slots
}

// TestStarvedToolIsNotTheCause stops the process of a call, so the call runs out of time
// although it hardly ran.
func TestStarvedToolIsNotTheCause(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	// The process must exist before the call, because a process that is stopped while it
	// starts fails in another way.
	if r := p.run(t.Context(), definition(echo), []byte(`{}`)); r.outcome == agent.Infrastructure {
		t.Fatalf("starting the process: %+v", r)
	}
	p.limit = 500 * time.Millisecond
	ended := make(chan result)
	go func() { ended <- p.run(t.Context(), definition(endless), []byte(`{}`)) }()
	for stopped := false; ; {
		select {
		case r := <-ended:
			if !stopped || r.outcome != agent.Timeout || r.cause != "" || !strings.Contains(r.Text, "too busy") {
				t.Errorf("stopped %t: %s, %q, %q", stopped, r.outcome, r.cause, r.Text)
			}
			return
		default:
		}
		for _, pid := range working(t) {
			if n, err := strconv.Atoi(pid); err == nil && !stopped {
				stopped = syscall.Kill(n, syscall.SIGSTOP) == nil
			}
		}
	}
}

// TestSiblingsGarbageIsNotTheCause checks that a call is repeated in a new child if it
// ran out of memory in a child that had served another tool.
func TestSiblingsGarbageIsNotTheCause(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	call(t, p, sum, `{"numbers":[1]}`)
	used := p.idle[0]
	used.most = 1 // as if a sibling had not released its memory
	slow := "def run(args):\n  n = 0\n  for i in range(300000):\n    n += 1\n  return n\n"
	if res, cause := failures(t, t.Context(), p, definition(slow), `{}`); res.Outcome != agent.OK || cause != "" {
		t.Errorf("%+v, %q", res, cause)
	}
	if p.idle[0] == used {
		t.Error("the call was not repeated in a new child")
	}
}
