package command

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
	"evolve/runtime/scrub"
)

// TestMain lets this binary also run as an agent. Its second argument names the behaviour.
func TestMain(m *testing.M) {
	sandbox.Init()
	if len(os.Args) == 3 && os.Args[1] == "behave" {
		behave(os.Args[2])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var (
	detect = sync.OnceValue(func() sandbox.Sandbox { return sandbox.Detect(context.Background()) })
	off    = sandbox.None("switched off for a test")
)

// newAgent returns an agent that is closed at the end of the test.
func newAgent(t testing.TB, o Options) *Agent {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Scrub == nil {
		o.Scrub = scrub.New([]string{"opensesame"}).String
	}
	// Without this setting the race detector delays each exit by a second.
	o.Env = append(o.Env, "GORACE=atexit_sleep_ms=0")
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// itself returns a command that runs this binary.
func itself(t testing.TB, behaviour string) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, "behave", behaviour}
}

func ask(id, goal string) agent.Request {
	return agent.Request{ID: id, Task: agent.Task{ID: "t", Goal: goal}, Config: agent.Config{"case": "upper"}, Limits: agent.Limits{Timeout: 20 * time.Second}}
}

func answerOf(r agent.Result) string {
	if r.Answer == nil {
		return "none: " + string(r.Outcome) + ": " + r.Error
	}
	return *r.Answer
}

// languages are agents in other languages that answer with the goal in capitals and the
// number of requests that they have served so far.
var languages = []struct{ program, file, text string }{
	{"sh", "agent.sh", `#!/bin/sh
n=0
while IFS= read -r line; do
	n=$((n+1))
	id=$(printf '%s' "$line" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
	goal=$(printf '%s' "$line" | sed -n 's/.*"goal":"\([^"]*\)".*/\1/p' | tr '[:lower:]' '[:upper:]')
	printf '{"id":"%s","answer":"%s %s"}\n' "$id" "$goal" "$n"
done
`},
	{"awk", "agent.awk", `{
	match($0, /"id":"[^"]*"/); id = substr($0, RSTART + 6, RLENGTH - 7)
	match($0, /"goal":"[^"]*"/); goal = substr($0, RSTART + 8, RLENGTH - 9)
	printf "{\"id\":\"%s\",\"answer\":\"%s %d\"}\n", id, toupper(goal), NR
	fflush()
}
`},
	{"python3", "agent.py", `#!/usr/bin/env python3
import json, sys
for n, line in enumerate(sys.stdin, 1):
    r = json.loads(line)
    assert r["config"] == {"case": "upper"} and r["limits"]["timeout_s"] == 20 and r["limits"]["max_cost_usd"] is None
    assert r["task"]["messages"] == [] and r["task"]["files"] == [] and r["task"]["input"] is None
    print(json.dumps({"id": r["id"], "answer": f"{r['task']['goal'].upper()} {n}", "usage": {"input_tokens": 3}}), flush=True)
`},
	{"node", "agent.js", `
let n = 0
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  const r = JSON.parse(line)
  console.log(JSON.stringify({ id: r.id, answer: r.task.goal.toUpperCase() + ' ' + ++n }))
})
`},
}

func TestLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.program, func(t *testing.T) {
			if _, err := exec.LookPath(l.program); err != nil {
				t.Skipf("no %s on this machine", l.program)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, l.file), []byte(l.text), 0o755); err != nil {
				t.Fatal(err)
			}
			argv := []string{l.program, l.file}
			if l.program == "awk" {
				argv = []string{"awk", "-f", l.file}
			}
			for _, protocol := range []string{JSONL, Once} {
				if l.program == "awk" && protocol == JSONL {
					continue // some versions of awk read ahead, and wait for more than one line
				}
				a := newAgent(t, Options{Argv: argv, Dir: dir, Protocol: protocol, Sandbox: detect()})
				for i := 1; i <= 3; i++ {
					n := i
					if protocol == Once {
						n = 1
					}
					got := a.Run(t.Context(), ask(fmt.Sprintf("e%d", i), "shout"))
					if want := fmt.Sprintf("SHOUT %d", n); answerOf(got) != want || got.Outcome != agent.OK {
						t.Errorf("%s: %+v with answer %q, want %q", protocol, got, answerOf(got), want)
					}
				}
			}
		})
	}
}

// TestStartIsNoAnswerTime tests that the first answer of a process is marked, that later
// answers are not, and that the time before the request was written counts as waiting.
func TestStartIsNoAnswerTime(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "crash"), Protocol: JSONL, Sandbox: off})
	for i := range 2 {
		if res := a.Run(t.Context(), ask(fmt.Sprint("c", i), "x")); !res.Started || res.Outcome != agent.Execution {
			t.Errorf("request %d to a program that crashes: started %v, %s", i, res.Started, res.Outcome)
		}
	}
	for _, c := range []struct {
		protocol string
		started  []bool
	}{{JSONL, []bool{true, false, false}}, {Once, []bool{false, false}}} {
		a := newAgent(t, Options{Argv: itself(t, "echo"), Protocol: c.protocol, Sandbox: off})
		for i, want := range c.started {
			begun := time.Now()
			res := a.Run(t.Context(), ask(fmt.Sprint("e", i), "x"))
			if res.Outcome != agent.OK || res.Started != want || res.Waited > time.Since(begun) || (res.Waited > 0) != (c.protocol == JSONL) {
				t.Errorf("%s, request %d: %s, started %v, waited %s", c.protocol, i, res.Outcome, res.Started, res.Waited)
			}
		}
	}
}

// TestRenew tests that a program's state in memory and on disk does not outlive a
// renewal.
func TestRenew(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent.sh"), []byte(languages[0].text), 0o755); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, Options{Argv: []string{"sh", "agent.sh"}, Dir: dir, Protocol: JSONL, Sandbox: off, Scratch: scratch})
	for _, want := range []string{"X 1", "X 2"} {
		if got := answerOf(a.Run(t.Context(), ask(want, "x"))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(scratch, "diary"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.Renew(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got := answerOf(a.Run(t.Context(), ask("again", "x"))); got != "X 1" {
		t.Errorf("after the renewal the answer is %q", got)
	}
}

func TestRequest(t *testing.T) {
	request := agent.Request{
		ID: "e1", Seed: 1<<53 - 1, Workdir: "/w", Config: agent.Config{"t": .3, "tools": []string{"<a>"}},
		Limits: agent.Limits{MaxCostUSD: .5},
		Task: agent.Task{
			ID: "t1", Domain: "d", Goal: "a\nb", Messages: []agent.Message{{Role: "user", Content: "hi"}},
			Input: json.RawMessage(`{"x": 1}`), Files: []string{"a/b"},
		},
	}
	line, err := encode(request, 1500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"e1","task":{"id":"t1","domain":"d","goal":"a\nb","messages":[{"role":"user","content":"hi"}],"input":{"x":1},"files":["a/b"]},` +
		`"config":{"t":0.3,"tools":["<a>"]},"seed":9007199254740991,"limits":{"timeout_s":1.5,"max_cost_usd":0.5},"workdir":"/w"}` + "\n"
	if diff := cmp.Diff(want, string(line)); diff != "" {
		t.Error(diff)
	}
	request.Feedback = []agent.Feedback{{ID: "F1", Action: "replace", Tool: "db", With: "cache"}, {ID: "F2", Action: "boost", Factor: 1.2}}
	line, err = encode(request, time.Second)
	if end := `"workdir":"/w","feedback":[{"id":"F1","action":"replace","tool":"db","with":"cache","factor":0},{"id":"F2","action":"boost","factor":1.2}]}` + "\n"; err != nil || !strings.HasSuffix(string(line), end) {
		t.Errorf("%s, %v", line, err)
	}
}

// TestWorkdir has an agent use everything in its environment.
func TestWorkdir(t *testing.T) {
	for _, protocol := range []string{JSONL, Once} {
		for _, walls := range []sandbox.Sandbox{detect(), off} {
			scratch := t.TempDir()
			a := newAgent(t, Options{Argv: itself(t, "surroundings"), Protocol: protocol, Sandbox: walls, Scratch: scratch, Env: []string{"KEY=opensesame"}})
			for i := range 2 {
				req := ask("e", "")
				req.Workdir = filepath.Join(scratch, fmt.Sprint(i))
				if err := os.Mkdir(req.Workdir, 0o700); err != nil {
					t.Fatal(err)
				}
				res := a.Run(t.Context(), req)
				if answerOf(res) != "did" {
					t.Fatalf("%s with %s: %+v: %s", protocol, walls.Name(), res, answerOf(res))
				}
				if text, err := os.ReadFile(filepath.Join(req.Workdir, "left")); err != nil || string(text) != "by the agent" {
					t.Errorf("left %q, %v", text, err)
				}
				want := agent.Transcript{Events: []agent.Event{
					{Kind: agent.EventForeign, Data: json.RawMessage(`{"key":"[redacted]"}`)},
					{Kind: agent.EventStderr, Text: "my key is [redacted]"},
				}}
				if diff := cmp.Diff(want, res.Transcript); diff != "" {
					t.Error(diff)
				}
			}
		}
	}
}

// TestConcurrent sends more requests at once than there are processes.
func TestConcurrent(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "echo"), Protocol: JSONL, Pool: 3, Sandbox: detect()})
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			goal := fmt.Sprint("goal ", i)
			if res := a.Run(t.Context(), ask(fmt.Sprint("e", i), goal)); answerOf(res) != goal {
				t.Errorf("%d: %s", i, answerOf(res))
			}
		})
	}
	wg.Wait()
}

// TestConfigStaysWithItsProgram checks that each of two programs is given one of two
// configs, in whatever order requests with these configs arrive, and that a third config
// replaces the least recently used one.
func TestConfigStaysWithItsProgram(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "set up each config"), Protocol: JSONL, Pool: 2, Sandbox: detect()})
	for i, c := range strings.Split("1 1 1 2 1 2 2 1 1 1 2 2 1 2 3 2 3 3 2", " ") {
		req := ask(fmt.Sprint("e", i), "")
		req.Config = agent.Config{"case": c}
		want := "1"
		if c == "3" {
			want = "2"
		}
		if res := a.Run(t.Context(), req); answerOf(res) != want {
			t.Errorf("request %d, of config %s: its program has set up %s configs, want %s", i, c, answerOf(res), want)
		}
	}
}

// TestLarge sends more data than a pipe can hold, both to programs that read it and to
// programs that do not.
func TestLarge(t *testing.T) {
	large := strings.Repeat("x", 1<<20)
	a := newAgent(t, Options{Argv: itself(t, "length"), Protocol: JSONL, Sandbox: detect()})
	for range 2 {
		if res := a.Run(t.Context(), ask("e", large)); answerOf(res) != fmt.Sprint(1<<20) {
			t.Error(answerOf(res))
		}
	}
	for _, protocol := range []string{JSONL, Once} {
		req := ask("e", large)
		req.Limits.Timeout = 300 * time.Millisecond
		a := newAgent(t, Options{Argv: itself(t, "hang"), Protocol: protocol, Sandbox: detect()})
		if res := a.Run(t.Context(), req); res.Outcome != agent.Timeout {
			t.Errorf("%+v", res)
		}
		req.Limits.Timeout = 20 * time.Second
		a = newAgent(t, Options{Argv: itself(t, "flood"), Protocol: protocol, Sandbox: detect()})
		if res := a.Run(t.Context(), req); res.Outcome != agent.ContractViolation {
			t.Errorf("%+v", res)
		}
	}
}

// door makes the pipe with which the behaviour "announce and hang" announces itself, and
// begun waits for this announcement.
func door(t *testing.T, req agent.Request) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(req.Workdir, "begun"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func begun(t *testing.T, req agent.Request) {
	t.Helper()
	if _, err := os.ReadFile(filepath.Join(req.Workdir, "begun")); err != nil {
		t.Fatal(err)
	}
}

func TestCancel(t *testing.T) {
	for _, protocol := range []string{JSONL, Once} {
		t.Run(protocol, func(t *testing.T) {
			a := newAgent(t, Options{Argv: itself(t, "announce and hang"), Protocol: protocol, Sandbox: detect(), Scratch: t.TempDir()})
			ctx, cancel := context.WithCancel(t.Context())
			results := make(chan agent.Result)
			req := ask("e", "")
			req.Workdir = filepath.Join(a.o.Scratch, "w")
			if err := os.Mkdir(req.Workdir, 0o700); err != nil {
				t.Fatal(err)
			}
			door(t, req)
			go func() { results <- a.Run(ctx, req) }()
			begun(t, req)
			waiting, stop := context.WithCancel(t.Context())
			stop()
			if res := a.Run(waiting, ask("f", "")); res.Outcome != agent.Cancelled {
				t.Errorf("cancelled before its turn: %+v", res)
			}
			cancel()
			if res := <-results; res.Outcome != agent.Cancelled {
				t.Errorf("cancelled under way: %+v", res)
			}
		})
	}
}

func TestClose(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "announce and hang"), Protocol: JSONL, Pool: 2, Sandbox: detect(), Scratch: t.TempDir()})
	results := make(chan agent.Result)
	req := ask("e", "")
	req.Workdir = a.o.Scratch
	door(t, req)
	go func() { results <- a.Run(t.Context(), req) }()
	begun(t, req)
	closed := make(chan error)
	go func() { closed <- a.Close() }()
	if res := <-results; res.Outcome != agent.Cancelled {
		t.Errorf("under way: %+v", res)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if res := a.Run(t.Context(), req); res.Outcome != agent.Cancelled {
		t.Errorf("afterwards: %+v", res)
	}
}

func TestUnstartable(t *testing.T) {
	for _, protocol := range []string{JSONL, Once} {
		a := newAgent(t, Options{Argv: []string{"./absent"}, Protocol: protocol, Sandbox: detect()})
		res := a.Run(t.Context(), ask("e", ""))
		if res.Outcome != agent.Execution || !strings.Contains(res.Error, "no such program") {
			t.Errorf("%+v", res)
		}
	}
}

// TestHostShort takes away the file descriptors that a start needs. The shortage must not
// affect an agent's score.
func TestHostShort(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "echo"), Protocol: JSONL, Sandbox: detect()})
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	short := before
	short.Cur = 3
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &short); err != nil {
		t.Fatal(err)
	}
	res := a.Run(t.Context(), ask("e", ""))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if res.Outcome != agent.Infrastructure || !strings.Contains(res.Error, "too many open files") {
		t.Errorf("%+v", res)
	}
	if res := a.Run(t.Context(), ask("e", "hello")); answerOf(res) != "hello" {
		t.Errorf("afterwards: %+v", res)
	}
}

func TestNew(t *testing.T) {
	good := Options{Argv: []string{"sh"}, Dir: "/", Scrub: func(s string) string { return s }}
	for name, change := range map[string]func(*Options){
		"no program":       func(o *Options) { o.Argv = nil },
		"empty program":    func(o *Options) { o.Argv = []string{""} },
		"NUL":              func(o *Options) { o.Argv = []string{"a\x00b"} },
		"relative folder":  func(o *Options) { o.Dir = "x" },
		"relative scratch": func(o *Options) { o.Scratch = "x" },
		"unknown protocol": func(o *Options) { o.Protocol = "http" },
		"negative timeout": func(o *Options) { o.Timeout = -1 },
		"no scrubber":      func(o *Options) { o.Scrub = nil },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"agent.py", "tool"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2][]string{
		{{"python3", "agent.py", "-v", "agent"}, {"python3", dir + "/agent.py", "-v", "agent"}},
		{{"./absent", "."}, {dir + "/absent", "."}},
		{{"tool", "/etc/hosts", ""}, {dir + "/tool", "/etc/hosts", ""}},
	} {
		if diff := cmp.Diff(c[1], resolve(c[0], dir)); diff != "" {
			t.Error(diff)
		}
	}
}

func BenchmarkPool(b *testing.B) {
	python := filepath.Join(b.TempDir(), "agent.py")
	if err := os.WriteFile(python, []byte(languages[2].text), 0o755); err != nil {
		b.Fatal(err)
	}
	for name, argv := range map[string][]string{"go": itself(b, "echo"), "python": {"python3", python}} {
		b.Run(name, func(b *testing.B) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				b.Skipf("no %s on this machine", argv[0])
			}
			a := newAgent(b, Options{Argv: argv, Dir: filepath.Dir(python), Protocol: JSONL, Pool: 2, Sandbox: detect()})
			b.ReportAllocs()
			b.SetParallelism(2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if res := a.Run(b.Context(), ask("e", "shout")); res.Outcome != agent.OK {
						b.Fatalf("%+v", res)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// requests yields the requests to this program as IDs and decoded lines.
func requests(yield func(string, request) bool) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			os.Exit(90)
		}
		if !yield(r.ID, r) {
			return
		}
	}
}
