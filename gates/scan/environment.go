package scan

import (
	"go/ast"
	"strings"
)

// environment looks for variables and files that differ between a gate, a CI system
// and a user's machine.
func environment(f *file, found report) {
	f.each(func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
			if f.is(call.Fun, "os", "Getenv", "LookupEnv") || f.is(call.Fun, "syscall", "Getenv") {
				if name, ok := text(call.Args[0]); ok && testVariable(name) {
					found(n.Pos(), false, "the variable %+q tells a test or a gate from real use", name)
				}
			}
		}
		if lit, ok := n.(*ast.BasicLit); ok {
			value, _ := text(lit)
			if strings.Contains(value, "/proc/self") || strings.HasPrefix(value, "/proc/1/") || strings.HasPrefix(value, "/proc/%d") {
				found(n.Pos(), false, "%+q tells a process what it is and who started it", value)
			}
		}
		if f.is(n, "os", "Getppid") || f.is(n, "syscall", "Getppid") {
			found(n.Pos(), false, "it asks who started it")
		}
	})
}

func testVariable(name string) bool {
	switch name {
	case "CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "JENKINS_URL", "TRAVIS", "CIRCLECI", "GOCOVERDIR", "GOFLAGS", "GOCACHE", "GOPROXY", "GO111MODULE", "TESTING", "TEST", "GOTEST":
		return true
	}
	for _, prefix := range []string{"GO_TEST", "GO_WANT_", "EVOLVE", "TEST_", "GOTEST_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
