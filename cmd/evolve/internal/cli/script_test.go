package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Init()  // the sandbox's child is this binary too
	authored.Init() // and so is the process that runs a tool that an agent wrote
	testscript.Main(m, map[string]func(){"evolve": asMain, "toolserver": toolServer, "spy": spyAgent, "dying": dying})
}

// TestScripts runs the commands as a person would: one file for each behaviour.
// Beside the usual verbs there are:
//
//	exit CODE PROGRAM ARG…   runs it and demands that exit code
//	json FILE PATH [REGEXP]  demands a value at a.b[0].c that matches; [n] counts from 0
//	jsonlen FILE PATH N      demands a list of that length
//	sub FILE OLD NEW         replaces text in a file, which must be there
//	cpdir FROM TO            copies a folder
//	terminal CODE INPUT PROGRAM ARG…   the same on a terminal, with the file as what is typed
//	level DIR AGENT N        raises an agent to a level of autonomy, as approved requests do
//	seedturns DIR AGENT N    stores successful turns, each on its own
//	hold DIR                 begins a run in a workspace and waits until it holds the archive
//	letgo                    stops that run and waits for its end
//	ask DIR FILE             leaves a change request of an agent, a JSON record in which "NOW" is the time, in a workspace
//	fakemodel NAME KIND KEY  starts a provider; its address is $NAME, its requests are in $WORK/NAME
//	fakemodel stop NAME      stops it: its address refuses connections
//	asked NAME N             demands so many requests so far, all of them right ones
//	gitserver NAME DIR PASSWORD  serves the git repositories of a folder over http; its address is $NAME
//	metric FILE NAME{LABEL=VALUE} REGEXP  demands one value of a metric of Prometheus; with ! and no REGEXP none
//	collector NAME           starts a collector of traces; its address is $NAME
//	spans NAME FILE          writes the spans that it got since then, each with the names above it, and FILE.raw
//	hubserver NAME           starts a NATS server with JetStream; its address is $NAME
//	fakeagent NAME AUTH      starts an agent that is a service; its address is $NAME
//	hasty CODE OUT ARG…      runs evolve in this process, without the pauses between failures
//	later DAYS CODE OUT ARG… the same with a clock that is so many days ahead
//	nowhere SECRET PATH…     demands that a secret is in none of the files, in no disguise
//	listing DIR FILE         writes down what is in a folder, but for .evolve
//	sshkey FILE [PASSPHRASE] writes a private key and FILE.pub
//	without PROGRAM          leaves out the folders of PATH that have the program
//	unheld FILE PATH…        demands that nothing of a version's held-out cases is in the files
//	gone WORD                demands that no process with the word in its command line is left
func TestScripts(t *testing.T) {
	caches := t.TempDir() // the gates of patches compile the standard library once for all scripts
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", caches)
			return setupScript(e)
		},
		Condition: scriptCondition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": scriptExit, "json": scriptJSON, "jsonlen": scriptJSONLen, "sub": scriptSub, "cpdir": scriptCopy,
			"terminal": scriptTerminal, "hold": scriptHold, "letgo": scriptLetGo, "killheld": scriptKillHeld, "ask": scriptAsk, "level": scriptLevel, "seedturns": scriptSeedTurns,
			"fakemodel": scriptFakeModel, "asked": scriptAsked, "nowhere": scriptNowhere, "listing": scriptListing, "gone": scriptGone, "hasty": scriptHasty, "later": scriptLater,
			"fakeagent": scriptFakeAgent, "reseal": scriptReseal, "without": scriptWithout, "forge": scriptForge, "sshkey": scriptKey,
			"unheld": scriptUnheld, "gitserver": scriptGitServer, "hubserver": scriptHubServer, "metric": scriptMetric, "collector": scriptCollector, "spans": scriptSpans,
		},
	})
}

// setupScript gives every script a copy of the workspaces tiny and routed, and a git user.
func setupScript(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	e.Setenv("HOME", home)
	e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("TZ", "UTC")
	config := "[user]\n\tname = Robin Tester\n\temail = robin@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, "gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"tiny", "routed"} {
		if err := os.CopyFS(filepath.Join(e.WorkDir, name), os.DirFS(filepath.Join("testdata", name))); err != nil {
			return err
		}
	}
	return nil
}

// scriptWithout leaves out the folders of PATH that have a program.
func scriptWithout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: without PROGRAM")
	}
	var kept []string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[0])); err != nil {
			kept = append(kept, dir)
		}
	}
	ts.Setenv("PATH", strings.Join(kept, string(filepath.ListSeparator)))
}

// scriptReseal gives an export that was altered a chain and a checksum that fit.
func scriptReseal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reseal EXPORT")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	prev := ""
	for i, l := range lines {
		var entry struct {
			Kind  string              `json:"kind"`
			Value archive.LedgerEntry `json:"value"`
		}
		if !strings.HasPrefix(l, `{"kind":"ledger"`) {
			continue
		}
		ts.Check(json.Unmarshal([]byte(l), &entry))
		text, err := relinked(&entry.Value, prev)
		ts.Check(err)
		lines[i], prev = `{"kind":"ledger","value":`+string(text)+"}\n", entry.Value.Hash
	}
	body := strings.Join(lines[:len(lines)-1], "")
	end := fmt.Sprintf("{\"kind\":\"end\",\"value\":{\"lines\":%d,\"sha256\":\"%x\"}}\n", len(lines)-1, sha256.Sum256([]byte(body)))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(body+end), 0o600))
}

func scriptCondition(name string) (bool, error) {
	switch name {
	case "pytest": // as a sandbox shows it: without the packages of the user
		return exec.Command("python3", "-s", "-c", "import pytest").Run() == nil, nil
	case "mounts":
		return exec.Command("unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt").Run() == nil, nil
	case "full":
		_, err := os.Stat("/dev/full")
		return err == nil, nil
	case "terminal":
		_, err := exec.LookPath("script")
		return err == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// lookup follows a path such as agents[0].search.evaluations.
func lookup(ts *testscript.TestScript, file, path string) (any, bool) {
	var v any
	data := ts.ReadFile(file)
	dec := json.NewDecoder(strings.NewReader(data))
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s is no JSON: %v\n%s", file, err, data)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON value", file)
	}
	for _, step := range regexp.MustCompile(`[^.\[\]]+|\[\d+\]`).FindAllString(path, -1) {
		if n, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && step[0] == '[' {
			list, ok := v.([]any)
			if !ok || n >= len(list) {
				return nil, false
			}
			v = list[n]
			continue
		}
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[step]; !ok {
			return nil, false
		}
	}
	return v, true
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [REGEXP]")
	}
	v, ok := lookup(ts, args[0], args[1])
	text := ""
	if ok {
		raw, err := json.Marshal(v)
		ts.Check(err)
		text = strings.Trim(string(raw), `"`)
		if len(args) == 3 {
			ok = regexp.MustCompile(args[2]).MatchString(text)
		}
	}
	if ok == neg {
		ts.Fatalf("%s of %s is %s", args[1], args[0], orElse(text, "absent", text != ""))
	}
}

func scriptJSONLen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonlen FILE PATH N")
	}
	v, _ := lookup(ts, args[0], args[1])
	list, ok := v.([]any)
	if !ok || strconv.Itoa(len(list)) != args[2] {
		ts.Fatalf("%s of %s has %d entries (a list: %t), want %s", args[1], args[0], len(list), ok, args[2])
	}
}

func scriptSub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: sub FILE OLD NEW")
	}
	old := ts.ReadFile(args[0])
	if !strings.Contains(old, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(old, args[1], args[2], 1)), 0o644))
}

func scriptCopy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cpdir FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// scriptTerminal uses script(1), which gives a program a terminal; all that it
// shows there is standard output. It has COLS columns, 80 by default.
func scriptTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: terminal CODE INPUT PROGRAM ARG…")
	}
	words := make([]string, len(args)-2)
	for i, a := range args[2:] {
		words[i] = exit.ShellQuote(a)
	}
	scriptExit(ts, false, []string{args[0], "sh", "-c", "script -qec " + exit.ShellQuote("stty cols "+orElse("80", ts.Getenv("COLS"), ts.Getenv("COLS") == "")+" rows 24; "+strings.Join(words, " ")) + " /dev/null < " + exit.ShellQuote(ts.MkAbs(args[1]))})
}

// held is a run in the background.
type held struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// holding is the run that each script holds; scripts run in parallel.
var holding sync.Map

func scriptHold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold DIR")
	}
	h := &held{}
	// The agent of the workspace takes its time, so that the run is still on.
	h.cmd = exec.Command("evolve", "run", "--budget-evals", "100000", "--concurrency", "1", "--quiet")
	path := ts.Getenv("PATH")
	for _, dir := range filepath.SplitList(path) {
		if p := filepath.Join(dir, "evolve"); isExecutable(p) {
			h.cmd.Path, h.cmd.Err = p, nil
			break
		}
	}
	h.cmd.Dir = ts.MkAbs(args[0])
	h.cmd.Env = slices.Concat(os.Environ(), []string{"PATH=" + path, "HOME=" + ts.Getenv("HOME")})
	h.cmd.Stdout, h.cmd.Stderr = &h.out, &h.out
	ts.Check(h.cmd.Start())
	ts.Defer(func() { _ = h.cmd.Process.Kill() })
	holding.Store(ts, h)
	// It has begun when status says so.
	for range 400 {
		status := exec.Command(h.cmd.Path, "status", "--json")
		status.Dir, status.Env = h.cmd.Dir, h.cmd.Env
		out, err := status.Output()
		if err == nil && bytes.Contains(out, []byte(`"running": true`)) {
			return
		}
	}
	ts.Fatalf("the run did not begin: %s", h.out.String())
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

func scriptLetGo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: letgo")
	}
	v, ok := holding.Load(ts)
	if !ok {
		ts.Fatalf("nothing is held")
	}
	h := v.(*held)
	ts.Check(h.cmd.Process.Signal(os.Interrupt))
	_ = h.cmd.Wait()
	if code := h.cmd.ProcessState.ExitCode(); code != exit.Interrupted {
		ts.Fatalf("exit code %d, want %d: %s", code, exit.Interrupted, h.out.String())
	}
}

func scriptKillHeld(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := holding.Load(ts)
	if neg || len(args) > 0 || !ok {
		ts.Fatalf("usage: killheld, after hold")
	}
	h := v.(*held)
	ts.Check(h.cmd.Process.Kill())
	_ = h.cmd.Wait()
}

func scriptAsk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ask DIR FILE")
	}
	ts.Check(leaveRequest(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[1]))))
}

// leaveRequest puts a change request into the archive of a workspace, as a turn of
// an agent does.
func leaveRequest(root string, data []byte) error {
	var r archive.ChangeRequestRecord
	data = bytes.ReplaceAll(data, []byte(`"NOW"`), []byte(time.Now().UTC().Format(`"2006-01-02T15:04:05.999999999Z"`)))
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	if _, err := workspace.MakeStateDir(root); err != nil {
		return err
	}
	a, err := archive.Open(wire.ArchiveDir(root), archive.Options{Owner: "a turn"})
	if err != nil {
		return err
	}
	_, err = a.PutRequest(context.Background(), r)
	return errors.Join(err, a.Close())
}

// longOnly are commands on gated patches and versions of code, whose scripts are all long: they
// run compilers. The packages behind them have tests in short runs.
var longOnly = []string{"adopt", "adopt sync", "code compare", "code lineage", "patch list", "patch review", "patch show"}

// TestEveryCommandHasAScript checks that a script runs each command, with and without
// --json, and a script of short runs, too.
func TestEveryCommandHasAScript(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	var lines, short []string
	for _, s := range scripts {
		data, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		own := strings.Split(string(data), "\n")
		lines = append(lines, own...)
		if !slices.ContainsFunc(own, func(l string) bool { return strings.HasPrefix(l, "[short] skip") }) {
			short = append(short, own...)
		}
	}
	in := func(lines []string, command, flag string) bool {
		return slices.ContainsFunc(lines, func(l string) bool {
			at := strings.Index(l+" ", "evolve "+command+" ")
			return at >= 0 && strings.Contains(l[at:], flag)
		})
	}
	typed := func(command, flag string) bool { return in(lines, command, flag) }
	var walk func(commands []*cli.Command, parent string)
	walk = func(commands []*cli.Command, parent string) {
		for _, c := range commands {
			name := strings.TrimSpace(parent + " " + c.Name)
			if !typed(name, "") {
				t.Errorf("no script runs evolve %s", name)
			}
			if !in(short, name, "") && !slices.Contains(longOnly, name) {
				t.Errorf("no script of short runs, which the race detector looks at, runs evolve %s", name)
			}
			if (len(c.Subcommands) == 0 || hasOwn(c)) && !typed(name, "--json") {
				t.Errorf("no script runs evolve %s with --json", name)
			}
			for _, f := range ownFlags(c) {
				if long := "--" + f.Names()[0]; !typed(name, long) {
					t.Errorf("no script runs evolve %s with %s", name, long)
				}
			}
			walk(c.Subcommands, name)
		}
	}
	walk(testCommands(t), "")
}

// asMain is the main function of evolve.
func asMain() {
	sandbox.Init()
	authored.Init()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	wd, _ := os.Getwd()
	os.Exit(Run(context.Background(), Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ(), Dir: wd,
		Now: time.Now, Signals: signals, Release: func() { signal.Reset(os.Interrupt, syscall.SIGTERM) },
	}))
}
