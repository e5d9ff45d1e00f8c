package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ProgramProblem returns the reason why the program of a command agent cannot be started,
// such as "its program … cannot be found", as far as that can be checked without starting
// the program. It returns "" if there is no problem or the agent is not a program. look
// finds a program by its name or path, like [exec.LookPath].
func (a *Agent) ProgramProblem(look func(name string) (string, error)) string {
	if a.Adapter.Kind != KindCommand {
		return ""
	}
	if err := Startable(a.Dir, a.Adapter.Argv[0], look); err != nil {
		return fmt.Sprintf("its program %q %v", a.Adapter.Argv[0], err)
	}
	return ""
}

// ProgramHint returns the hint that is shown if an agent's program is missing.
func (a *Agent) ProgramHint() string {
	folder := agentsDir + "/" + a.ID
	if _, err := os.Stat(filepath.Join(a.Dir, "go.mod")); err == nil && strings.HasPrefix(a.Adapter.Argv[0], "./") {
		return "build it with Go: (cd " + folder + " && go build -o " + strings.TrimPrefix(a.Adapter.Argv[0], "./") + " .)"
	}
	return "relative paths are resolved against " + folder + "; a script must be executable"
}

// MissingPrograms returns an error that lists all agents whose programs cannot be started,
// each with its agent.yaml, or nil if there are none. A night checks this before it spends
// anything.
func MissingPrograms(agents []*Agent, look func(name string) (string, error)) error {
	var missing collector
	for _, a := range agents {
		if problem := a.ProgramProblem(look); problem != "" {
			missing.add(Issue{File: agentsDir + "/" + a.ID + "/" + agentYAML, Message: problem, Hint: a.ProgramHint()})
		}
	}
	return missing.err()
}

// Startable checks that a program can be found in the same way as when it is started: in
// dir if name is a relative path or the name of a file there, and otherwise in PATH.
func Startable(dir, name string, look func(name string) (string, error)) error {
	if !filepath.IsAbs(name) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if strings.ContainsRune(name, '/') || err == nil && info.Mode().IsRegular() {
			name = path
		}
	}
	return found(name, look)
}

// found checks that a program can be found and executed.
func found(name string, look func(name string) (string, error)) error {
	_, err := look(name)
	var missing *exec.Error
	if errors.As(err, &missing) {
		err = missing.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return errors.New("cannot be found")
	}
	if err != nil {
		return fmt.Errorf("cannot be run: %w", Reason(err))
	}
	return nil
}
