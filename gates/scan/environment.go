package scan

import (
	"go/ast"
	"strings"
)

// environment looks for uses of variables and files that differ between a gate, a CI system
// and a user's machine.
func environment(f *file, found report) {
	for _, u := range f.units {
		f.eachText(u.node, func(n ast.Node, value string) {
			if strings.Contains(value, "/proc/self") || strings.HasPrefix(value, "/proc/1/") || strings.HasPrefix(value, "/proc/%d") {
				found(n.Pos(), false, "%+q describes the process and its parent", value)
			}
		})
	}
	f.each(func(n ast.Node) {
		if f.is(n, "os", "Getppid") || f.is(n, "syscall", "Getppid") {
			found(n.Pos(), false, "it inspects its parent process")
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		if f.is(call.Fun, "os", "Getenv", "LookupEnv") || f.is(call.Fun, "syscall", "Getenv") {
			if name, ok := f.text(call.Args[0]); ok && testVariable(name) {
				found(n.Pos(), false, "the environment variable %+q can differ between real use and tests or gates", name)
			}
		}
		if f.pkg.early[n] && f.is(call.Fun, "os", "Setenv", "Unsetenv", "Chdir") {
			found(n.Pos(), false, "the environment of every test is changed when the package is loaded")
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
