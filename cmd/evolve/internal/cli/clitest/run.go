package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"evolve/cmd/evolve/internal/cli"
	"evolve/cmd/evolve/internal/cli/clitest/fixture"
	"evolve/runtime/authored"
	"evolve/runtime/sandbox"
)

// Main is called by the TestMain of a package of scripts. It makes the test's binary also
// serve as the programs evolve and toolserver, which scripts run by these names.
func Main(m *testing.M) {
	sandbox.Init()  // the sandbox's child is also this binary
	authored.Init() // this binary is also the process that runs a tool written by an agent
	testscript.Main(m, map[string]func(){"evolve": cli.Main, "toolserver": toolServer})
}

// Run runs the scripts of the package under test, testdata/script/*.txtar, each as a
// subtest named after its file.
func Run(t *testing.T) {
	caches := t.TempDir() // the gates of patches compile the standard library once for all scripts
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", caches)
			return setup(e)
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": scriptExit, "json": scriptJSON, "jsonlen": scriptJSONLen, "sub": scriptSub, "cpdir": scriptCopy,
			"terminal": scriptTerminal, "hold": scriptHold, "letgo": scriptLetGo, "killheld": scriptKillHeld, "ask": scriptAsk, "level": scriptLevel, "seedturns": scriptSeedTurns,
			"fakemodel": scriptFakeModel, "asked": scriptAsked, "nowhere": scriptNowhere, "listing": scriptListing, "gone": scriptGone, "hasty": scriptHasty, "later": scriptLater,
			"fakeagent": scriptFakeAgent, "reseal": scriptReseal, "without": scriptWithout, "forge": scriptForge, "sshkey": scriptKey,
			"unheld": scriptUnheld, "gitserver": scriptGitServer, "hubserver": scriptHubServer, "metric": scriptMetric, "collector": scriptCollector, "spans": scriptSpans, "viewed": scriptViewed,
			"explains": scriptExplains,
		},
	})
}

// started contains the processes and servers that one script has started. It also
// contains the errors that the script has produced and that the manual quotes.
type started struct {
	run        *held
	models     map[string]*fakeModel     // keyed by the names of their variables
	collectors map[string]*fakeCollector // keyed by the names of their variables
	explained  explained
}

// startedKey is the key of [started] among the values of a script.
type startedKey struct{}

// startedBy returns what a script has started.
func startedBy(ts *testscript.TestScript) *started {
	return ts.Value(startedKey{}).(*started)
}

// setup gives every script a copy of the workspaces tiny and routed, and a git user.
func setup(e *testscript.Env) error {
	e.Values[startedKey{}] = &started{models: map[string]*fakeModel{}, collectors: map[string]*fakeCollector{}, explained: explained{}}
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
		if err := fixture.Workspace(filepath.Join(e.WorkDir, name), name); err != nil {
			return err
		}
	}
	return nil
}

// condition reports whether the named facility, which a script needs, is available.
func condition(name string) (bool, error) {
	switch name {
	case "pytest": // without the user's packages, which a sandbox does not see
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
