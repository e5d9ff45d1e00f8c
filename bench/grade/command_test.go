package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
)

// processes runs graders as plain processes, without a sandbox.
type processes struct{}

func (processes) RunGrader(ctx context.Context, p Program) (Exit, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Env = p.Dir, bytes.NewReader(p.Stdin), []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Exit{}, err
	}
	return Exit{
		Code: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes(),
		TimedOut: ctx.Err() != nil, Truncated: stdout.Len() > p.MaxOutput,
	}, nil
}

func (processes) AskGrader(context.Context, Program, func([]byte) error) error {
	return errors.ErrUnsupported
}

func TestCommand(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh on this machine")
	}
	suites, work := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "out.txt"), []byte("left by the agent"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		script string
		score  float64
		pass   bool
		reason string
		broken string
	}{
		"passes":            {"exit 0", 1, true, "exit code 0", ""},
		"fails":             {"exit 1", 0, false, "exit code 1", ""},
		"fails, only warns": {`echo '{"score":0.5}'; echo slow >&2; exit 1`, .5, false, "exit code 1", ""},
		"passes, but warns": {"echo slow >&2", 1, true, "exit code 0", ""},
		"gives a score":     {`echo working; echo '{"score":0.25,"reason":"one of four"}'; echo`, .25, false, "one of four", ""},
		"only a reason":     {`echo '{"reason":"fine"}'`, 1, true, "fine", ""},
		"score over exit":   {`echo '{"score":1}'; exit 1`, 1, true, "exit code 1", ""},
		"reads the answer":  {`read line; case "$line" in *'"answer":"$(touch pwned); %s {{.}}"'*) exit 0;; esac; exit 1`, 1, true, "", ""},
		"reads the files":   {`dir=$(sed 's/.*"workdir":"\([^"]*\)".*/\1/'); grep -q "left by the agent" "$dir/out.txt"`, 1, true, "", ""},
		"talks and passes":  {"echo all; echo ok", 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "ok": it is not JSON such as {"score": 0.5}`},
		"talks and fails":   {"echo wrong; exit 1", 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "wrong": it is not JSON`},
		"a bare number":     {"echo 0.5", 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "0.5": a verdict is a JSON object, not a number`},
		"crashes":           {"echo 'Traceback:' >&2; echo 'KeyError: \"answer\"' >&2; exit 1", 0, false, "", `"./check.sh" ended with exit code 1 and no verdict: "KeyError: \"answer\""`},
		"talks and crashes": {"echo loading; echo 'KeyError: x' >&2; exit 1", 0, false, "", `"./check.sh" ended with exit code 1 and no verdict: "KeyError: x"`},
		"a score in quotes": {`echo '{"score":"0.5"}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":\"0.5\"}": "score" must be a number, not text`},
		"a true score":      {`echo '{"score":true}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":true}": "score" must be a number, not true or false`},
		"a number as why":   {`echo '{"score":1,"reason":3}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":1,\"reason\":3}": "reason" must be text, not a number`},
		"other exit":        {"echo oops >&2; exit 2", 0, false, "", `"./check.sh" ended with exit code 2: "oops"`},
		"killed":            {"kill -9 $$", 0, false, "", `"./check.sh" ended with exit code -1`},
		"garbage":           {`echo '{"score":'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":"`},
		"unknown key":       {`echo '{"scor":1}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"scor\":1}": there is no key "scor"`},
		"score too high":    {`echo '{"score":1.01}'`, 0, false, "", `"./check.sh" gave the score 1.01, which is not between 0 and 1`},
		"score not finite":  {`echo '{"score":NaN}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":NaN}"`},
		"a brace too much":  {`echo '{"score":1}}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":1}}"`},
		"two scores":        {`echo '{"score":0,"reason":"r","Score":1}'`, 0, false, "", `"./check.sh" wrote a verdict that gives "Score" twice`},
		"two verdicts":      {`echo '{"score":0} {"score":1}'`, 0, false, "", `"./check.sh" wrote a last line that is not a verdict: "{\"score\":0} {\"score\":1}"`},
		"too slow":          {"exec sleep 30", 0, false, "", `"./check.sh" took longer than 500ms`},
		"floods":            {"head -c 2000000 /dev/zero", 0, false, "", `"./check.sh" wrote too much`},
		"cannot be started": {"", 0, false, "", `run "./check.sh": `},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(suites, "check.sh")
			if err := os.RemoveAll(program); err != nil {
				t.Fatal(err)
			}
			if c.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			timeout := "20"
			if name == "too slow" {
				timeout = "0.5"
			}
			tk := task(t, "ref", `{"type":"command","argv":["./check.sh"],"timeout":`+timeout+`}`)
			g, err := compile(tk, means{runner: processes{}, suiteDir: suites})
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: answered("$(touch pwned); %s {{.}}"), Workdir: work})
			if c.broken != "" {
				if want := `grader "command": ` + c.broken; err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
				return
			}
			if err != nil || got.Score != c.score || got.Pass != c.pass || !strings.Contains(got.Grades[0].Reason, c.reason) {
				t.Errorf("%+v (%v), want %v %v %q", got, err, c.score, c.pass, c.reason)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(suites, "pwned")); err == nil {
		t.Error("the answer was run by a shell")
	}
}

// capture records the program that it is given.
type capture struct{ got Program }

func (c *capture) RunGrader(_ context.Context, p Program) (Exit, error) {
	c.got = p
	return Exit{}, nil
}

func (c *capture) AskGrader(_ context.Context, p Program, accept func([]byte) error) error {
	c.got = p
	return accept([]byte(fmt.Sprintf(`{"id":%q,"score":1}`, p.ID)))
}

func TestCommandIsHandedOneObject(t *testing.T) {
	var c capture
	tk := task(t, "ref", `{"type":"command","argv":["python3","check.py"]}`)
	g := New(&c, func(*bench.Task) string { return "/suites" })
	if _, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: agent.Result{Outcome: agent.LowUtility}, Workdir: "/w"}); err != nil {
		t.Fatal(err)
	}
	if c.got.Dir != "/suites" || c.got.Workdir != "/w" || c.got.Timeout != time.Minute || strings.Join(c.got.Argv, " ") != "python3 check.py" {
		t.Errorf("handed %+v", c.got)
	}
	var object map[string]any
	if err := json.Unmarshal(c.got.Stdin, &object); err != nil || bytes.Count(c.got.Stdin, []byte("\n")) != 1 {
		t.Fatalf("%q: %v", c.got.Stdin, err)
	}
	answer, there := object["answer"]
	if object["outcome"] != "low_utility" || !there || answer != nil || object["workdir"] != "/w" || object["task"].(map[string]any)["id"] != "t" {
		t.Errorf("handed %s", c.got.Stdin)
	}
	// The program is not run for a result that cannot be graded.
	c.got = Program{}
	got, err := g.Grade(context.Background(), bench.GradeInput{Task: tk, Result: agent.Result{Outcome: agent.Timeout}})
	if err != nil || got.Score != 0 || c.got.Argv != nil {
		t.Errorf("a timeout was handed to the program: %+v, %v", got, err)
	}
}

func TestCommandNeedsARunner(t *testing.T) {
	tk := task(t, "ref", `{"type":"command","argv":["x"]}`)
	if problems := Check(tk, tk.Graders[0]); len(problems) > 0 {
		t.Errorf("a suite may not name it: %v", problems)
	}
	if _, err := compile(tk, means{}); err == nil || !strings.Contains(err.Error(), "needs a sandbox, but there is none") {
		t.Errorf("compiled without a runner: %v", err)
	}
}

// FuzzVerdict checks that any output of a program gives a score in [0,1] or an error.
func FuzzVerdict(f *testing.F) {
	f.Add(0, []byte(`{"score":0.5,"reason":"x"}`))
	f.Add(1, []byte("ok\n{\"score\":1e-400}\n"))
	f.Add(0, []byte(`{"score":null}`))
	f.Add(0, []byte(`{"score":1}}`))
	f.Fuzz(func(t *testing.T, code int, out []byte) {
		v, err := Exit{Code: code, Stdout: out}.verdict(time.Second)
		if err == nil && !(v.score >= 0 && v.score <= 1 && (code == 0 || code == 1)) {
			t.Fatalf("%+v of exit %d", v, code)
		}
	})
}

// TestUnstartable checks which failures of a program cannot be remedied by a repetition,
// and which of them are crashes.
func TestUnstartable(t *testing.T) {
	suites := t.TempDir()
	for name, text := range map[string]string{"crash.sh": "echo no >&2\nexit 1", "later.sh": "no-such-command-anywhere", "plain": "x"} {
		if err := os.WriteFile(filepath.Join(suites, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for argv, want := range map[string]struct{ unstartable, crashed bool }{
		`["sh","crash.sh"]`: {false, true}, `["sh","gone.sh"]`: {true, true}, `["sh","later.sh"]`: {true, true}, `["sh","-c","exit 3"]`: {false, true},
		`["sh","-c","echo {}} >&2; echo {; exit 1"]`: {false, false}, `["sh","-c","echo maybe"]`: {false, false},
	} {
		tk := task(t, "ref", `{"type":"command","argv":`+argv+`}`)
		g, err := compile(tk, means{runner: processes{}, suiteDir: suites})
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Grade(t.Context(), bench.GradeInput{Task: tk, Result: answered("x")})
		var broken *bench.GraderError
		if !errors.As(err, &broken) || broken.Unstartable != want.unstartable || broken.Crashed != want.crashed {
			t.Errorf("%s: %v", argv, err)
		}
	}
}
