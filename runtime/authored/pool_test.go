package authored

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

const echo = "def run(args):\n  return args\n"

// endless cannot be interrupted by the interpreter, because comparing shared lists takes
// forever within a single step.
const endless = "def run(args):\n  a, b = ['a'], ['a']\n  for i in range(8):\n    a, b = [a] * 1000, [b] * 1000\n  return a == b\n"

func TestValues(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		for name, c := range map[string]struct{ source, args, want string }{
			"echo":          {echo, `{"a":[1,2.5,"é\u0000\"",null,true,{"b":{}}]}`, `{"a":[1,2.5,"é\u0000\"",null,true,{"b":{}}]}`},
			"nothing":       {"def run(args):\n  pass\n", `{}`, `null`},
			"large integer": {"def run(args):\n  return 7 * 10000000000000000000000\n", `{}`, `70000000000000000000000`},
			"sorted keys":   {"def run(args):\n  return {'b': 1, 'a': 2}\n", `{}`, `{"a":2,"b":1}`},
			"modules":       {"def run(args):\n  return [math.sqrt(16), json.decode('[1]')]\n", `{}`, `[4.0,[1]]`},
			"set":           {"def run(args):\n  return sorted(set([3, 1, 3]))\n", `{}`, `[1,3]`},
			"largest value": {"def run(args):\n  return 'a' * 65534\n", `{}`, `"` + strings.Repeat("a", 65534) + `"`},
			"no environ":    {"def run(args):\n  return dir(math)[:1] + [n for n in ['os', 'env'] if n in dir(json)]\n", `{}`, `["acos"]`},
		} {
			r := call(t, p, c.source, c.args)
			if r.outcome != agent.OK || !same(r.Value, []byte(c.want)) {
				t.Errorf("%s: %s %s %s", name, r.outcome, head(string(r.Value), 200), r.Text)
			}
		}
	})
}

// TestNothingLeaks tests that no state from one call is visible to the next call in the
// same child.
func TestNothingLeaks(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	first := call(t, p, "x = []\ndef run(args):\n  y = args['l']\n  y.append('secret')\n  print('secret')\n  return len(y)\n", `{"l":[]}`)
	child := p.idle[0].pid
	if first.Printed != "secret\n" || string(first.Value) != "1" {
		t.Fatalf("%+v", first)
	}
	for range 2 {
		if r := call(t, p, "def run(args):\n  args['l'].append(1)\n  return args\n", `{"l":[]}`); string(r.Value) != `{"l":[1]}` || r.Printed != "" {
			t.Errorf("%s, %q", r.Value, r.Printed)
		}
	}
	if p.idle[0].pid != child {
		t.Error("a child in order was replaced")
	}
	call(t, p, "def run(args):\n  fail('x')\n", `{}`)
	if len(p.idle) != 0 {
		t.Error("a child was kept after a failure")
	}
}

func TestWornChildIsReplaced(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	call(t, p, echo, `{}`)
	child := p.idle[0].pid
	p.idle[0].calls = maxCalls - 1
	call(t, p, echo, `{}`)
	call(t, p, echo, `{}`)
	if p.idle[0].pid == child {
		t.Error("a worn child was kept")
	}
}

func TestEndlessIsStopped(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		p.limit = 300 * time.Millisecond
		if r := call(t, p, endless, `{}`); r.outcome != agent.Timeout {
			t.Errorf("%s: %s", r.outcome, r.Text)
		}
	})
}

func TestCallerStops(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		// The start of a child can also be cancelled.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c, err := newChild(ctx, p.box, p.settings, p.extra); err == nil {
			t.Error("a child was started without a call")
			c.end()
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if r := p.run(ctx, definition(endless), []byte(`{}`)); r.outcome != agent.Cancelled {
			t.Errorf("%s: %s", r.outcome, r.Text)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if r := p.run(ctx, definition(endless), []byte(`{}`)); r.outcome != agent.Timeout {
			t.Errorf("%s: %s", r.outcome, r.Text)
		}
		if r := call(t, p, sum, `{"numbers":[4]}`); string(r.Value) != `{"sum":4}` {
			t.Errorf("afterwards: %+v", r)
		}
	})
}

// TestKilledFromOutside tests that a child that is killed during a call is replaced and the
// call is repeated. If the new child is killed as well, the call fails.
func TestKilledFromOutside(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	call(t, p, echo, `{}`)
	if err := syscall.Kill(p.idle[0].pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := call(t, p, echo, `{"a":1}`); string(r.Value) != `{"a":1}` {
		t.Errorf("killed while idle: %+v", r)
	}
	c, err := p.acquire(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(c.pid, syscall.SIGKILL) })
	d := definition(endless)
	if _, err := c.call(t.Context(), request{Name: d.Name, Hash: d.Hash(), Source: d.Source, Args: []byte(`{}`)}, callTime); !errors.Is(err, errEnded) {
		t.Errorf("killed in the middle: %v", err)
	}
}

// TestKilledIdleChildren tests that idle children that the machine has killed are never
// used, and that their end does not count as a failure of the next tool.
func TestKilledIdleChildren(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		const n = 3
		for range n {
			c, err := p.acquire(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			p.release(c)
		}
		for _, c := range p.idle {
			if err := syscall.Kill(c.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		var failed []string
		innocent := p.Tools([]Definition{definition(echo)}, Options{Failed: func(_ Definition, cause string, _ agent.Outcome) { failed = append(failed, cause) }})[0]
		for range n {
			r, err := innocent.Call(t.Context(), nil, []byte(`{"a":1}`))
			if err != nil || r.Outcome != agent.OK {
				t.Errorf("%s: %s, %v", r.Outcome, r.Output, err)
			}
		}
		if len(failed) > 0 {
			t.Errorf("failures of the tool: %v", failed)
		}
	})
}

// TestKilledTwice tests that a call whose processes are all killed from outside does not
// count as a failure of the tool.
func TestKilledTwice(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 1)
	defer p.Close()
	ended := make(chan result)
	go func() { ended <- p.run(t.Context(), definition(endless), []byte(`{}`)) }()
	for killed := map[string]bool{}; ; {
		select {
		case r := <-ended:
			if r.outcome != agent.Infrastructure || r.cause != "" || len(killed) == 0 {
				t.Errorf("%s: %s after %d kills", r.outcome, r.Text, len(killed))
			}
			return
		default:
		}
		for _, pid := range working(t) {
			if n, err := strconv.Atoi(pid); err == nil && !killed[pid] {
				killed[pid] = syscall.Kill(n, syscall.SIGKILL) == nil
			}
		}
	}
}

// working returns the children of this process that have set their limits.
func working(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // a thread that has ended
		}
		for _, pid := range strings.Fields(string(text)) {
			limits, err := os.ReadFile("/proc/" + pid + "/limits")
			if err == nil && strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max open files 0 0") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestParentWatchesSize tests that the parent kills a child that has no memory limit of its
// own and grows.
func TestParentWatchesSize(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		p.settings.Data, p.extra = 0, weight*(48<<20)
		p.settings.Steps = 1 << 40
		p.settings.Heap = 1 << 40
		r := call(t, p, "def run(args):\n  l = []\n  for i in range(100000000):\n    l.append('a%d' % i * 500000)\n  return len(l)\n", `{}`)
		if r.outcome != agent.Execution || !strings.Contains(r.Text, "memory") {
			t.Errorf("%s: %s", r.outcome, r.Text)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				want := fmt.Sprintf(`{"n":%d}`, i)
				if r := p.run(t.Context(), definition(echo), []byte(want)); string(r.Value) != want {
					t.Errorf("%s: %s %s %s", want, r.outcome, r.Value, r.Text)
				}
			})
		}
		wg.Wait()
		if n := len(p.idle); n > 2 {
			t.Errorf("%d children", n)
		}
	})
}

func TestClosedPool(t *testing.T) {
	p := NewPool(sandbox.None("a test"), 0)
	call(t, p, echo, `{}`)
	p.Close()
	p.Close()
	if r := p.run(t.Context(), definition(echo), []byte(`{}`)); r.outcome != agent.Infrastructure {
		t.Errorf("%+v", r)
	}
}

// TestConfined tests that a child has the documented limits and no others.
func TestConfined(t *testing.T) {
	each(t, func(t *testing.T, p *Pool) {
		call(t, p, echo, `{}`)
		pid := p.idle[0].pid
		limits := strings.Join(strings.Fields(read(t, pid, "limits")), " ")
		core := "Max core file size 0 0"
		if p.box.Err() == nil { // the sandbox's own limit, which also prevents core dumps of the host's programs
			core = "Max core file size 1 1"
		}
		for _, want := range []string{"Max open files 0 0", "Max file size 0 0", core, "Max cpu time 60 60"} {
			if !strings.Contains(limits, want) {
				t.Errorf("%s is not among %s", want, limits)
			}
		}
		if strings.Contains(limits, "Max data size unlimited") {
			t.Error("memory is not limited")
		}
		if !strings.Contains(read(t, pid, "status"), "NoNewPrivs:\t1") {
			t.Error("new privileges are not forbidden")
		}
	})
}

func BenchmarkStart(b *testing.B) {
	for name, walls := range map[string]sandbox.Sandbox{"plain": sandbox.None("a benchmark"), "walls": detected()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := NewPool(walls, 1)
				call(b, p, echo, `{}`)
				p.Close()
			}
		})
	}
}

func BenchmarkWarmCall(b *testing.B) {
	p := NewPool(sandbox.None("a benchmark"), 1)
	defer p.Close()
	for b.Loop() {
		call(b, p, echo, `{}`)
	}
}
