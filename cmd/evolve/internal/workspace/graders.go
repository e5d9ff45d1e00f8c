package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"evolve/bench"
	"evolve/bench/grade"
)

// GraderProgram is a program that grades tasks of a suite.
type GraderProgram struct {
	Suite *bench.Suite
	Spec  bench.GraderSpec
	// Argv is the program and its arguments.
	Argv []string
	// Tasks holds the tasks that the program grades, in the order of the suite.
	Tasks []*bench.Task
}

// GraderPrograms returns the programs that grade a suite's tasks. Each command line is
// listed once, in the order of the first tasks that the programs grade.
func GraderPrograms(s *bench.Suite) []GraderProgram {
	at := map[string]int{}
	var list []GraderProgram
	for i := range s.Tasks {
		t := &s.Tasks[i]
		for _, step := range t.Steps() {
			for _, spec := range step.Graders {
				argv, is := grade.Argv(spec)
				if !is {
					continue
				}
				name := strings.Join(argv, "\x00")
				n, known := at[name]
				if !known {
					n = len(list)
					at[name] = n
					list = append(list, GraderProgram{Suite: s, Spec: spec, Argv: argv})
				}
				if tasks := list[n].Tasks; len(tasks) == 0 || tasks[len(tasks)-1] != t {
					list[n].Tasks = append(tasks, t)
				}
			}
		}
	}
	return list
}

// Problem returns the reason why the program cannot grade, such as "its program … cannot be
// found", as far as that can be checked without starting the program. It returns "" if
// there is no problem. look finds a program by its name or path, like [exec.LookPath].
func (g *GraderProgram) Problem(look func(name string) (string, error)) string {
	name := g.Argv[0]
	if strings.ContainsRune(name, '/') && !filepath.IsAbs(name) {
		name = filepath.Join(g.Suite.Dir, filepath.FromSlash(name))
	}
	if err := found(name, look); err != nil {
		return fmt.Sprintf("its program %q %v", g.Argv[0], err)
	}
	script := grade.Script(g.Argv)
	if script == "" {
		return ""
	}
	path := script
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.Suite.Dir, filepath.FromSlash(path))
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return fmt.Sprintf("the script %q that its program %q runs cannot be found", script, g.Argv[0])
	}
	return ""
}

// Hint returns the hint about a missing program.
func (g *GraderProgram) Hint() string {
	if name := g.Argv[0]; !strings.ContainsRune(name, '/') {
		if info, err := os.Stat(filepath.Join(g.Suite.Dir, name)); err == nil && info.Mode().IsRegular() {
			return fmt.Sprintf("write %q: a name without a slash is looked up in PATH", "./"+name)
		}
	}
	return "install the program on the machine that runs nights, or correct \"argv\"; relative paths are resolved against the folder of the suite, and a program must be executable"
}

// Graded returns a description of the tasks that the program grades: the first task, and
// the number of other tasks.
func (g *GraderProgram) Graded() string {
	first := fmt.Sprintf("task %q", g.Tasks[0].ID)
	if more := len(g.Tasks) - 1; more > 0 {
		first += fmt.Sprintf(" and %d more", more)
	}
	return first
}
