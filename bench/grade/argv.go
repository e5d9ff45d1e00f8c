package grade

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"evolve/bench"
)

// TypeCommand is the type of graders that are programs.
const TypeCommand = "command"

// Argv returns the program and the arguments of a grader, and reports whether the grader is
// a program.
func Argv(spec bench.GraderSpec) ([]string, bool) {
	var c struct {
		Argv []string `json:"argv"`
	}
	if spec.Type != TypeCommand || json.Unmarshal(spec.Raw, &c) != nil || len(c.Argv) == 0 {
		return nil, false
	}
	return c.Argv, true
}

// Script returns the file that an interpreter such as python3 or sh runs, as the command
// line names it, or "" if it is not certain that the command line names one.
func Script(argv []string) string {
	if len(argv) < 2 || argv[1] == "" || strings.HasPrefix(argv[1], "-") {
		return ""
	}
	switch strings.TrimRight(filepath.Base(argv[0]), "0123456789.") {
	case "sh", "bash", "dash", "zsh", "ksh", "python", "pypy", "node", "ruby", "perl", "php", "lua", "Rscript":
		return argv[1]
	}
	return ""
}
