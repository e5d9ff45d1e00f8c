package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/sandbox"
)

// behave makes this binary act as a hostile agent. The first request to each process is
// answered with the named behaviour.
func behave(how string) {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	switch how {
	case "crash at once":
		os.Exit(3)
	case "early":
		say(`{"id":"e","answer":"guessed"}`)
	case "leave orphans":
		orphan("setsid", "sleep", "1000")
		orphan("sh", "-c", "sleep 1000 & exec sleep 1000")
	}
	var config string
	setups := 0
	for id, r := range requests {
		ok := func() { say(`{"id":%q,"answer":"fine"}`, id) }
		switch how {
		case "echo":
			out, err := json.Marshal(map[string]string{"id": id, "answer": r.Task.Goal})
			if err != nil {
				os.Exit(91)
			}
			_, _ = os.Stdout.Write(append(out, '\n'))
		case "set up each config":
			if now := string(r.Config); now != config || setups == 0 {
				config = now
				setups++
			}
			say(`{"id":%q,"answer":%d}`, id, setups)
		case "length":
			say(`{"id":%q,"answer":%d}`, id, len(r.Task.Goal))
		case "dial":
			dial(id, r)
		case "surroundings":
			surroundings(id, r)
		case "crash":
			os.Exit(4)
		case "crash with words":
			fmt.Fprintln(os.Stderr, "it hurts with opensesame")
			os.Exit(5)
		case "kill itself":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		case "crash half-way":
			fmt.Printf(`{"id":%q,"answer":"fi`, id)
			os.Exit(6)
		case "answer and leave":
			ok()
			return
		case "leave without a word", "early":
			return
		case "wrong id":
			say(`{"id":"another","answer":"fine"}`)
		case "flood":
			for block := strings.Repeat("x", 1<<16); ; {
				fmt.Print(block)
			}
		case "flood of lines":
			for {
				say("noise")
			}
		case "flood on stderr":
			for range 2000 {
				fmt.Fprintln(os.Stderr, strings.Repeat("y", 1000))
			}
			ok()
		case "hang", "leave orphans":
			time.Sleep(time.Hour)
		case "announce and hang":
			_ = os.WriteFile(filepath.Join(r.Workdir, "begun"), nil, 0o600)
			time.Sleep(time.Hour)
		case "close and hang":
			_ = os.Stdout.Close()
			time.Sleep(time.Hour)
		case "twice":
			ok()
			ok()
		case "twice, the second for the next":
			say("{\"id\":%q,\"answer\":\"fine\"}\n{\"id\":\"e2\",\"answer\":\"forged\"}", id)
		case "grandchild holds the output":
			orphan("sleep", "1000")
			os.Exit(7)
		case "grandchild in another session":
			orphan("setsid", "sleep", "1000")
			ok()
		default:
			say(strings.ReplaceAll(how, "ID", id))
		}
	}
}

// orphan starts a program that inherits all open files of this program and is not waited
// for.
func orphan(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Start() != nil {
		os.Exit(92)
	}
}

func surroundings(id string, r request) {
	problem := func(text string) { fmt.Printf("{\"id\":%q,\"answer\":%q}\n", id, text) }
	if os.Getenv("KEY") != "opensesame" || os.Getenv("EVOLVE_INSIDE") != "1" || os.Getenv("USER") != "" {
		problem("the environment is wrong")
		return
	}
	if err := os.WriteFile(filepath.Join(r.Workdir, "left"), []byte("by the agent"), 0o600); err != nil {
		problem(err.Error())
		return
	}
	fmt.Fprintln(os.Stderr, "my key is opensesame")
	fmt.Printf("{\"id\":%q,\"answer\":\"did\",\"transcript\":{\"key\":\"opensesame\"}}\n", id)
}

// TestHostile runs every kind of hostile program in both protocols, with and without
// isolation, and then runs a second task, which must work as usual.
func TestHostile(t *testing.T) {
	type want struct {
		outcome agent.Outcome
		text    string // in the answer or the error
	}
	violation := func(text string) want { return want{agent.ContractViolation, text} }
	crash := func(text string) want { return want{agent.Execution, text} }
	fine := want{agent.OK, "fine"}
	for how, c := range map[string]struct{ jsonl, once want }{
		"crash at once":                  {crash("exit code 3"), crash("exit code 3")},
		"crash":                          {crash("exit code 4"), crash("exit code 4")},
		"crash with words":               {crash("exit code 5"), crash("exit code 5")},
		"kill itself":                    {crash(`signal "killed"`), crash(`signal "killed"`)},
		"crash half-way":                 {crash("exit code 6"), crash("exit code 6")},
		"answer and leave":               {fine, fine},
		"leave without a word":           {crash("exit code 0"), violation("no response")},
		"wrong id":                       {violation("another"), violation("another")},
		"early":                          {violation(`the id "e"`), violation(`the id "e"`)},
		"flood":                          {violation("more than"), violation("more than")},
		"flood of lines":                 {violation("not a JSON object"), violation("more than one line")},
		"flood on stderr":                {fine, fine},
		"hang":                           {want{agent.Timeout, "no response"}, want{agent.Timeout, "no response"}},
		"leave orphans":                  {want{agent.Timeout, "no response"}, want{agent.Timeout, "no response"}},
		"close and hang":                 {crash("closed its output"), crash("closed its output")},
		"twice":                          {fine, violation("more than one line")},
		"twice, the second for the next": {fine, violation("more than one line")},
		"grandchild holds the output":    {crash("exit code 7"), crash("exit code 7")},
		"grandchild in another session":  {fine, fine},
		"":                               {violation("not a JSON object"), violation("")},
		"garbage":                        {violation("not a JSON object"), violation("not a JSON object")},
		`{"id":"ID","score":NaN}`:        {violation("not a JSON object"), violation("not a JSON object")},
		`{"id":"ID","score":Infinity}`:   {violation("not a JSON object"), violation("not a JSON object")},
		`{"id":"ID","score":1e999}`:      {violation("score"), violation("score")},
		`{"id":"ID","score":2}`:          {violation("score"), violation("score")},
		`{"id":"ID"}`:                    {violation("neither answer nor score"), violation("neither answer nor score")},
		`{"id":"ID","answer":"fine"}`:    {fine, fine},
	} {
		for protocol, want := range map[string]want{JSONL: c.jsonl, Once: c.once} {
			for _, walls := range []sandbox.Sandbox{detect(), off} {
				t.Run(fmt.Sprintf("%s/%s/%.4s", how, protocol, walls.Name()), func(t *testing.T) {
					t.Parallel()
					a := newAgent(t, Options{Argv: itself(t, how), Protocol: protocol, Sandbox: walls, Pool: 1})
					for _, id := range []string{"e1", "e2"} {
						req := ask(id, "")
						if want.outcome == agent.Timeout {
							req.Limits.Timeout = 500 * time.Millisecond
						}
						res := a.Run(t.Context(), req)
						text := res.Error
						if res.Answer != nil {
							text = *res.Answer
						}
						if res.Outcome != want.outcome || !strings.Contains(text, want.text) {
							t.Errorf("%s: %s with %q, want %s with %q", id, res.Outcome, text, want.outcome, want.text)
						}
						if how == "crash with words" && (len(res.Transcript.Events) != 1 || res.Transcript.Events[0].Text != "it hurts with [redacted]") {
							t.Errorf("%s: transcript %+v", id, res.Transcript)
						}
						if how == "flood on stderr" && (len(res.Transcript.Events) != 1 || len(res.Transcript.Events[0].Text) > tailSize+10) {
							t.Errorf("%s: transcript of %d events", id, len(res.Transcript.Events))
						}
					}
				})
			}
		}
	}
}

// TestFloodsAreNotKept measures how much memory a flood of 200 MB leaves in use.
func TestFloodsAreNotKept(t *testing.T) {
	a := newAgent(t, Options{Argv: itself(t, "flood"), Protocol: JSONL, Sandbox: detect()})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const times = 20
	for range times {
		if res := a.Run(t.Context(), ask("e", "")); res.Outcome != agent.ContractViolation {
			t.Fatalf("%+v", res)
		}
	}
	runtime.ReadMemStats(&after)
	// Each flood may fill one buffer up to the line limit, and the buffer doubles as it
	// grows.
	if grown, most := after.TotalAlloc-before.TotalAlloc, uint64(times*4*maxResponse); grown > most {
		t.Errorf("%d floods allocated %d bytes, more than %d", times, grown, most)
	}
}
