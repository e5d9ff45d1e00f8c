package scope

import (
	"fmt"
	"slices"
	"strings"
)

// All patterns are in lower case, because names are folded before they are compared.
var (
	// gitFiles configure git itself: hooks, attributes, ignored files, submodules. git~1 is
	// the short name of .git on Windows.
	gitFiles = []string{".git*", "git~[0-9]*"}
	// moduleFiles determine which code is built, and with which version of Go.
	moduleFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum", "go.env", ".go-version", ".tool-versions"}
	// buildFolders are folders with vendored code, or with code that a build runs.
	buildFolders = []string{
		"vendor", "node_modules", "magefiles", ".circleci", ".buildkite", ".ci", ".husky", ".gitlab", ".woodpecker", ".teamcity", ".azure*",
		".devcontainer", ".vscode", ".idea", ".cargo",
	}
	// buildFiles are files that a build, a CI system, a linter or a person runs, or that
	// configure these; go test does not check them.
	buildFiles = []string{
		"makefile", "makefile.*", "gnumakefile", "*.mk", "*.mak", "cmakelists.txt", "*.cmake", "meson.build", "configure", "configure.ac",
		"dockerfile", "dockerfile.*", "*.dockerfile", "containerfile", "containerfile.*", ".dockerignore", "docker-compose*", "compose.y*ml",
		"jenkinsfile", "jenkinsfile.*", ".travis.y*ml", "appveyor.y*ml", ".appveyor.y*ml", "azure-pipelines*", "bitbucket-pipelines*",
		"cloudbuild.*", ".drone*", ".woodpecker*", ".cirrus*", ".semaphore*", "codecov.y*ml", ".codecov*", "sonar-project.properties", "renovate*", ".renovate*",
		"build", "build.bazel", "workspace", "workspace.*", "module.bazel", "module.bazel.lock", "*.bzl", ".bazel*",
		"taskfile*", "magefile.go", "justfile", ".justfile", "earthfile", "tiltfile", "skaffold.y*ml", "flake.nix", "flake.lock", "*.nix", "ninja.build", "*.ninja",
		".golangci*", "staticcheck.conf", ".pre-commit*", "lefthook*", ".lefthook*", ".goreleaser*", ".ko.y*ml", ".air.toml", ".envrc", ".env", ".env.*",
		"package.json", "package-lock.json", "*.ps1", "*.bat", "*.cmd",
	}
	// shellFiles are scripts that a build, a CI system or a person may run.
	shellFiles = []string{"*.sh", "*.bash", "*.zsh", "*.fish"}
	// cFiles are compiled by tools other than the Go compiler.
	cFiles = []string{
		"*.s", "*.sx", "*.c", "*.cc", "*.cpp", "*.cxx", "*.m", "*.mm", "*.h", "*.hh", "*.hpp", "*.hxx", "*.inc",
		"*.f", "*.for", "*.f90", "*.swig", "*.swigcxx",
	}
	// objectFiles are linked or run although there is no source that a person could read.
	objectFiles = []string{"*.syso", "*.o", "*.a", "*.so", "*.so.*", "*.dylib", "*.dll", "*.lib", "*.obj", "*.exe", "*.test", "*.pyc", "*.class", "*.jar"}
)

// build refuses changes to files that determine how the code is built, fetched or checked
// out.
func (p Policy) build(c *change) (rule, why string) {
	if p, ok := anywhere(gitFiles, c.folded); ok {
		return "git file", fmt.Sprintf("git itself reads such files (%s)", p)
	}
	if p, ok := matches(moduleFiles, c.name()); ok {
		return "module file", fmt.Sprintf("%s decides which code is built", p)
	}
	if p, ok := anywhere(buildFolders, c.folded[:len(c.folded)-1]); ok {
		return "build file", fmt.Sprintf("files in a folder named %s are run by a build or are third-party code", p)
	}
	// Go source is not a build file, whatever its name; the exception is magefile.go, which
	// mage runs.
	if p, ok := matches(buildFiles, c.name()); ok && (!strings.HasSuffix(c.name(), ".go") || p == "magefile.go") {
		return "build file", fmt.Sprintf("a build, a CI system or a person runs it (%s), and go test does not check it", p)
	}
	if pattern, ok := matches(shellFiles, c.name()); ok && !(p.Scored && slices.Contains(p.Allow, c.path)) {
		why := fmt.Sprintf("a build, a CI system or a person runs it (%s), and go test does not check it", pattern)
		if p.Scored {
			why = fmt.Sprintf("a build, a CI system or a person may run it (%s); an entry in `allow` that names the file allows the change", pattern)
		}
		return "build file", why
	}
	if p, ok := matches(objectFiles, c.name()); ok {
		return "object file", fmt.Sprintf("it is linked or run, but has no source that can be read (%s)", p)
	}
	if pattern, ok := matches(cFiles, c.name()); ok && !p.Cgo {
		return "C or assembly", fmt.Sprintf("a tool other than the Go compiler reads it (%s), and the policy does not allow cgo, which needs `cgo: true` in the target's settings", pattern)
	}
	return "", ""
}
