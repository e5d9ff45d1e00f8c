package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/cmd/evolve/internal/workspace/scaffold"
	"evolve/runtime/text"
)

// agentKinds returns the names of the kinds of agent that init can write.
func agentKinds() []string {
	var names []string
	for _, k := range scaffold.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// startingKind returns the kind of agent that --agent names. It returns false if the flag
// is not set.
func startingKind(c *cli.Context) (scaffold.Kind, bool, error) {
	if !c.IsSet("agent") {
		return scaffold.Kind{}, false, nil
	}
	if c.Bool("minimal") {
		return scaffold.Kind{}, false, exit.Misuse(errors.New("--minimal writes no agent: leave out either --agent or --minimal"))
	}
	kinds, name := scaffold.Kinds(), c.String("agent")
	if i := slices.IndexFunc(kinds, func(k scaffold.Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i], true, nil
	}
	hint := exit.Suggest("the kinds are "+strings.Join(agentKinds(), ", "), "--agent %s", name, agentKinds())
	return scaffold.Kind{}, false, exit.Errorf(exit.Usage, hint, "there is no agent kind %s", text.Quote(name))
}

// goProgram is the file name under which the program of an agent of the kind go is built;
// the other constants describe how to build it.
const (
	goProgram = "router.bin"
	goBuild   = "go build -o " + goProgram + " ."
)

// buildKind builds the program of an agent whose kind requires a build, unless the program
// exists. It returns a description of what went wrong, for a person.
func buildKind(c *cli.Context, kind scaffold.Kind, dir string) (problem string) {
	folder := filepath.Join(dir, "agents", "router")
	if kind.Name != "go" {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(folder, goProgram)); err == nil {
		return ""
	}
	words := strings.Fields(goBuild)
	build := exec.CommandContext(c.Context, words[0], words[1:]...)
	build.Dir, build.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return fmt.Sprintf("%s failed: %s", goBuild, cmp.Or(text.Visible(first), err.Error()))
	}
	return ""
}

// missingProgram describes a program that the kind needs and that is not in PATH; it
// returns "" if nothing is missing.
func missingProgram(kind scaffold.Kind) string {
	if kind.Needs == "" {
		return ""
	}
	if _, err := exec.LookPath(kind.Needs); err == nil {
		return ""
	}
	return fmt.Sprintf("%s is not in PATH, and the agent does not run without it", kind.Needs)
}

// prepareKind makes a newly written agent ready to run, and returns the problems with it:
// a program that is missing, or a build that failed.
func prepareKind(c *cli.Context, kind scaffold.Kind, dir string) []string {
	problem := missingProgram(kind)
	if problem == "" {
		problem = buildKind(c, kind, dir)
	}
	if problem == "" {
		return nil
	}
	return []string{problem}
}

// unmixed refuses to write an agent of a kind next to the files of another agent, because
// the new agent would not fit the other agent's suite.
func unmixed(dir string, files map[string][]byte, kind scaffold.Kind) error {
	other, missing, err := workspace.Mixed(dir, files)
	if err != nil || len(other) == 0 || len(missing) == 0 {
		return err
	}
	return exit.Errorf(exit.Usage, "`evolve init DIR --agent "+kind.Name+"` creates the new agent in another folder; `evolve init --minimal` keeps your agent and writes only evolve.yaml",
		"nothing was written, because the folder already contains other agent or suite files: %s; --agent %s would add %s", text.Visible(firstOf(other, shownKept)), kind.Name, firstOf(missing, shownKept))
}

// unloadable returns the reason why a workspace in which existing files were kept cannot be
// loaded, or nil if it can be loaded.
func unloadable(dir string) []string {
	if _, err := wire.Load(dir); err != nil {
		return []string{"a run would be refused because of the existing files that were kept: " + strings.ReplaceAll(text.VisibleLines(err.Error()), "\n", "; ")}
	}
	return nil
}

// inRepository reports whether a folder is in a Git work tree.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// commitStep returns the command that commits a new workspace, or "" if nothing was
// written.
func commitStep(dir string, written []string) string {
	const commit = ` && git commit -m "the agent as it was"`
	switch {
	case len(written) == 0:
		return ""
	case !inRepository(dir):
		return "git init && git add ." + commit
	}
	var first []string
	for _, name := range written {
		name, _, _ = strings.Cut(name, "/")
		if !slices.Contains(first, name) {
			first = append(first, name)
		}
	}
	return "git add " + strings.Join(first, " ") + commit
}

// stepsOf returns the commands that a person types after a workspace with an agent of the
// given kind has been created, up to the agent's first verdict.
func stepsOf(sh *shell, kind scaffold.Kind, dir string, written, problems []string) []string {
	var steps []string
	if dir != sh.dir {
		steps = append(steps, "cd "+text.ShellQuote(dir))
	}
	switch {
	case kind.Name == "go" && len(problems) > 0:
		steps = append(steps, "(cd agents/router && "+goBuild+")")
	case kind.Name == "http":
		steps = append(steps, "python3 agents/router/server.py &")
	case kind.Name == "llm":
		steps = append(steps, "ollama pull qwen3")
	}
	if commit := commitStep(dir, written); commit != "" {
		steps = append(steps, commit)
	}
	return append(steps, "evolve doctor", "evolve run", "evolve review")
}

// printKind prints the next steps for a person with a new agent of the given kind.
func printKind(sh *shell, kind scaffold.Kind, dir string, written, problems []string) {
	fresh := slices.ContainsFunc(written, func(name string) bool {
		return strings.HasPrefix(name, "agents/router/") || strings.HasPrefix(name, "suites/")
	})
	if fresh {
		sh.printf("\nagents/router answers the twenty tasks of suites/messages.jsonl, ten of which are held out\n")
	} else {
		sh.printf("\nagents/router and suites/messages.jsonl already existed and were kept\n")
	}
	if kind.Name == "llm" {
		sh.printf("the agent asks the model that evolve.yaml names, an Ollama model on this machine; `evolve help models` describes the\n" +
			"settings for other providers, such as providers: {openai: {kind: openai, key_env: OPENAI_API_KEY}}\n")
	}
	for _, p := range problems {
		sh.printf("! %s\n", p)
	}
	for i, step := range stepsOf(sh, kind, dir, written, problems) {
		label := ""
		if i == 0 {
			label = "next"
			sh.printf("\n")
		}
		sh.printf("  %-7s %s\n", label, step)
	}
}
