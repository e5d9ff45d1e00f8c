package scope

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes a tree of regular files; a path's content is its own name.
func tree(paths ...string) Tree {
	var t Tree
	for _, p := range paths {
		t = append(t, Entry{Path: p, Mode: Regular, Hash: "of " + p, Size: 10})
	}
	return t
}

// edit applies steps to a tree: "+path" adds a file, "~path" edits it, "-path" removes it,
// "x path" makes it executable, "@path" turns it into a symlink and "^path" into a
// submodule.
func edit(t Tree, steps ...string) Tree {
	out := slices.Clone(t)
	for _, step := range steps {
		verb, path := step[0], strings.TrimPrefix(step[1:], " ")
		at := slices.IndexFunc(out, func(e Entry) bool { return e.Path == path })
		if at < 0 {
			at = len(out)
			out = append(out, Entry{Path: path, Mode: Regular, Hash: "new", Size: 20})
		}
		switch verb {
		case '~':
			out[at].Hash = "edited"
		case '-':
			out = slices.Delete(out, at, at+1)
		case 'x':
			out[at].Mode = Executable
		case '@':
			out[at].Mode = Symlink
		case '^':
			out[at].Mode = Submodule
		}
	}
	return out
}

// repo is the base for the cases in the table.
var repo = edit(tree(
	".gitattributes", ".github/workflows/ci.yaml", "LICENSE", "Makefile", "cmd/tool/main.go", "docs/Straße.md", "go.mod", "go.sum",
	"pkg/a/a.go", "pkg/a/a_test.go", "pkg/a/sub/s.go", "pkg/a/testdata/in.txt", "pkg/a/fuzz.golden", "pkg/ab/ab.go", "pkg/c/Upper.go",
	"pkg/c/run.pl", "pkg/c/link", "pkg/c/module", "pkg/c/kelvin.go", "vendor/modules.txt", "pkg/c/c_amd64.s", "pkg/c/\u00e9.go",
), "x pkg/c/run.pl", "@pkg/c/link", "^pkg/c/module")

var all = Policy{Allow: []string{"."}}

func TestJudge(t *testing.T) {
	pkgA := Policy{Allow: []string{"pkg/a"}}
	runtime := Policy{Allow: []string{"."}, Runtime: true}
	cgo := Policy{Allow: []string{"."}, Cgo: true}
	for _, c := range []struct {
		name   string
		policy Policy
		steps  []string
		// rules are the rules of the findings, in order. Empty means that nothing is
		// refused.
		rules string
		fresh string // new tests, joined by spaces
	}{
		{"nothing changed, nothing allowed", Policy{}, nil, "", ""},
		{"an edit", pkgA, []string{"~pkg/a/a.go"}, "", ""},
		{"a new file", pkgA, []string{"+pkg/a/b.go"}, "", ""},
		{"a new folder", pkgA, []string{"+pkg/a/deep/er/b.go"}, "", ""},
		{"a removal", pkgA, []string{"-pkg/a/sub/s.go"}, "", ""},
		{"a rename", pkgA, []string{"-pkg/a/a.go", "+pkg/a/b.go"}, "", ""},
		{"a rename out of the allowed", pkgA, []string{"-pkg/a/a.go", "+pkg/ab/a.go"}, "not allowed", ""},
		{"empty allow allows nothing", Policy{}, []string{"~pkg/a/a.go"}, "not allowed", ""},
		{"zero policy, a removal", Policy{}, []string{"-pkg/a/a.go"}, "not allowed", ""},
		{"a prefix that is no segment", pkgA, []string{"~pkg/ab/ab.go"}, "not allowed", ""},
		{"the allowed entry is a file", Policy{Allow: []string{"pkg/a/a.go"}}, []string{"~pkg/a/a.go"}, "", ""},
		{"a neighbour of the allowed file", Policy{Allow: []string{"pkg/a/a.go"}}, []string{"+pkg/a/b.go"}, "not allowed", ""},
		{"allow is exact in case", Policy{Allow: []string{"PKG/a"}}, []string{"~pkg/a/a.go"}, "not allowed", ""},
		{"allow with a final slash", Policy{Allow: []string{"pkg/a/"}}, []string{"~pkg/a/a.go"}, "", ""},
		{"deny wins", Policy{Allow: []string{"pkg"}, Deny: []string{"pkg/a"}}, []string{"~pkg/a/a.go"}, "denied", ""},
		{"deny wins in another case", Policy{Allow: []string{"pkg"}, Deny: []string{"PKG/A"}}, []string{"~pkg/a/a.go"}, "denied", ""},
		{"deny wins over a deeper allow", Policy{Allow: []string{"pkg/a/sub"}, Deny: []string{"pkg/a"}}, []string{"~pkg/a/sub/s.go"}, "denied", ""},
		{"deny of all", Policy{Allow: []string{"."}, Deny: []string{"."}}, []string{"~LICENSE"}, "denied", ""},
		{"deny that is no segment", Policy{Allow: []string{"pkg"}, Deny: []string{"pkg/a"}}, []string{"~pkg/ab/ab.go"}, "", ""},
		{"an entry that matches nothing", Policy{Allow: []string{"pkg", "./cmd"}}, []string{"~pkg/a/a.go"}, "policy", ""},
		{"a pattern is no path", Policy{Allow: []string{"pkg/*"}}, []string{"~pkg/a/a.go"}, "not allowed", ""},
		{"an empty entry", Policy{Allow: []string{"."}, Deny: []string{""}}, []string{"~pkg/a/a.go"}, "policy", ""},

		{"leads out", all, []string{"+pkg/../../x.go"}, "malformed path", ""},
		{"dot segment", all, []string{"+pkg/./x.go"}, "malformed path", ""},
		{"empty segment", all, []string{"+pkg//x.go"}, "malformed path", ""},
		{"final slash", all, []string{"+pkg/x/"}, "malformed path", ""},
		{"absolute", all, []string{"+/etc/passwd"}, "malformed path", ""},
		{"backslash", all, []string{`+pkg\a\x.go`}, "malformed path", ""},
		{"empty path", all, []string{"+"}, "malformed path", ""},
		{"newline", all, []string{"+pkg/a\n.go"}, "deceptive name", ""},
		{"escape sequence", all, []string{"+pkg/\x1b[2J.go"}, "deceptive name", ""},
		{"delete character", all, []string{"+pkg/a\x7f.go"}, "deceptive name", ""},
		{"no UTF-8", all, []string{"+pkg/a\xff.go"}, "deceptive name", ""},
		{"cyrillic a", all, []string{"+pkg/\u0430/a.go"}, "deceptive name", ""},
		{"right to left", all, []string{"+pkg/a\u202eog.go"}, "deceptive name", ""},
		{"zero width joiner", all, []string{"+pkg/a\u200d.go"}, "deceptive name", ""},
		{"full width", all, []string{"+pkg/\uff41.go"}, "deceptive name", ""},
		{"honest, but not ASCII", all, []string{"~docs/Straße.md"}, "deceptive name", ""},

		{"differs in case", all, []string{"+pkg/c/upper.go"}, "collision", ""},
		{"a folder differs in case", all, []string{"+PKG/a/new.go"}, "collision", ""},
		{"two new ones differ in case", all, []string{"+pkg/x.txt", "+pkg/X.txt"}, "collision collision", ""},
		{"the other one goes", all, []string{"-pkg/c/Upper.go", "+pkg/c/upper.go"}, "", ""},
		{"the Kelvin sign", all, []string{"+pkg/c/\u212aelvin.go"}, "deceptive name collision", ""},
		{"sharp s", all, []string{"+docs/STRASSE.md"}, "collision", ""},
		{"composed another way", all, []string{"+pkg/c/e\u0301.go"}, "deceptive name collision", ""},
		{"a file under a symlink's other spelling", all, []string{"+pkg/c/LINK/x.go"}, "collision", ""},
		{"a file below a file", all, []string{"+pkg/a/a.go/x.go"}, "collision swap", ""},
		{"a folder in the place of a file", all, []string{"-pkg/a/a.go", "+pkg/a/a.go/x.go"}, "swap", ""},
		{"a file in the place of a folder", all, []string{"-pkg/a/sub/s.go", "+pkg/a/sub"}, "swap", ""},

		{"new symlink", all, []string{"@pkg/a/l"}, "symlink", ""},
		{"a file becomes a symlink", all, []string{"@pkg/a/a.go"}, "symlink", ""},
		{"a symlink is led elsewhere", all, []string{"~pkg/c/link"}, "symlink", ""},
		{"a symlink goes", all, []string{"-pkg/c/link"}, "symlink", ""},
		{"new submodule", all, []string{"^pkg/sub"}, "submodule", ""},
		{"a submodule moves", all, []string{"~pkg/c/module"}, "submodule", ""},
		{"a file becomes executable", all, []string{"x pkg/a/a.go"}, "mode", ""},
		{"new and executable", all, []string{"x pkg/a/tool"}, "mode", ""},
		{"an executable stays one", all, []string{"~pkg/c/run.pl"}, "", ""},

		{".git", all, []string{"+.git/hooks/pre-commit"}, "git file", ""},
		{".git deep inside, in capitals", all, []string{"+pkg/.GIT/config"}, "git file", ""},
		{".gitattributes edited", all, []string{"~.gitattributes"}, "git file", ""},
		{".gitignore, new and deep", all, []string{"+pkg/a/.gitignore"}, "git file", ""},
		{".gitmodules", all, []string{"+.gitmodules"}, "git file", ""},
		{"short name of .git", all, []string{"+GIT~1/config"}, "git file", ""},
		{"trailing dot", all, []string{"+pkg/a/x.go."}, "unportable name", ""},
		{"trailing space", all, []string{"+pkg/a /x.go"}, "unportable name", ""},
		{"leading space", all, []string{"+pkg/ a/x.go"}, "unportable name", ""},
		{"a device", all, []string{"+pkg/nul.go"}, "unportable name", ""},
		{"a device as a folder", all, []string{"+pkg/COM1/x.go"}, "unportable name", ""},
		{"no device", all, []string{"+pkg/common.go", "+pkg/com.go", "+pkg/nullable.go", "+pkg/auxiliary.go"}, "", ""},
		{"a stream of a file", all, []string{"+pkg/a.go:x"}, "unportable name", ""},
		{"an option", all, []string{"+pkg/-toolexec.go"}, "unportable name", ""},
		{"too long", all, []string{"+pkg/" + strings.Repeat("x", 256)}, "unportable name", ""},

		{"a test of the base edited", all, []string{"~pkg/a/a_test.go"}, "test", ""},
		{"a test of the base removed", all, []string{"-pkg/a/a_test.go"}, "test", ""},
		{"a test of the base renamed away", all, []string{"-pkg/a/a_test.go", "+pkg/a/a_tests.go"}, "test", ""},
		{"a test of the base renamed", all, []string{"-pkg/a/a_test.go", "+pkg/a/b_test.go"}, "test", "pkg/a/b_test.go"},
		{"a new test", all, []string{"+pkg/a/b_test.go"}, "", "pkg/a/b_test.go"},
		{"a new test elsewhere", pkgA, []string{"+pkg/ab/b_test.go"}, "not allowed", ""},
		{"a test only by another case", all, []string{"+pkg/a/b_TEST.go"}, "test", ""},
		{"testdata edited", all, []string{"~pkg/a/testdata/in.txt"}, "testdata", ""},
		{"testdata removed", all, []string{"-pkg/a/testdata/in.txt"}, "testdata", ""},
		{"more testdata in a folder that is read", all, []string{"+pkg/a/testdata/deep/more.txt"}, "testdata", ""},
		{"a testdata of its own", all, []string{"+pkg/ab/testdata/in.txt", "+pkg/ab/testdata/out.golden"}, "", "pkg/ab/testdata/in.txt pkg/ab/testdata/out.golden"},
		{"testdata in another case", all, []string{"+pkg/ab/TestData/in.go"}, "testdata", ""},
		{"a file called testdata", all, []string{"+pkg/ab/testdata"}, "", ""},
		{"a golden file", all, []string{"~pkg/a/fuzz.golden"}, "golden file", ""},
		{"a new golden file", all, []string{"+pkg/a/b.golden"}, "golden file", ""},
		{"a folder of them", all, []string{"+pkg/a/golden/b.txt"}, "golden file", ""},
		{"source with that name", all, []string{"+pkg/a/golden.go"}, "", ""},

		{"go.mod", all, []string{"~go.mod"}, "module file", ""},
		{"go.sum", all, []string{"~go.sum"}, "module file", ""},
		{"go.work", all, []string{"+go.work"}, "module file", ""},
		{"go.work.sum", all, []string{"+go.work.sum"}, "module file", ""},
		{"nested go.mod", all, []string{"+pkg/a/go.mod"}, "module file", ""},
		{"nested go.mod in capitals", all, []string{"+pkg/a/Go.Mod"}, "module file", ""},
		{"nested go.mod in its own testdata", all, []string{"+pkg/ab/testdata/m/go.mod"}, "module file", ""},
		{"vendor", all, []string{"~vendor/modules.txt"}, "build file", ""},
		{"vendor deep inside", all, []string{"+pkg/vendor/x/x.go"}, "build file", ""},
		{"a workflow", all, []string{"~.github/workflows/ci.yaml"}, "git file", ""},
		{"gitlab", all, []string{"+.gitlab-ci.yml"}, "git file", ""},
		{"a script", all, []string{"~rank.sh"}, "build file", ""},
		{"a script by its name, without a score", Policy{Allow: []string{"rank.sh"}}, []string{"~rank.sh"}, "build file", ""},
		{"a script by its folder", Policy{Allow: []string{"lib"}, Scored: true}, []string{"~lib/rank.bash"}, "build file", ""},
		{"a script by its name", Policy{Allow: []string{"lib/rank.bash"}, Scored: true}, []string{"~lib/rank.bash"}, "", ""},
		{"a Makefile by its name", Policy{Allow: []string{"Makefile"}, Scored: true}, []string{"~Makefile"}, "build file", ""},
		{"C", all, []string{"~rank.c"}, "C or assembly", ""},
		{"Makefile", all, []string{"~Makefile"}, "build file", ""},
		{"*.mk", all, []string{"+build/rules.mk"}, "build file", ""},
		{"Dockerfile", all, []string{"+cmd/tool/Dockerfile.alpine"}, "build file", ""},
		{"Jenkinsfile", all, []string{"+Jenkinsfile"}, "build file", ""},
		{"bazel", all, []string{"+pkg/a/BUILD.bazel"}, "build file", ""},
		{"BUILD", all, []string{"+pkg/a/BUILD"}, "build file", ""},
		{"a package called build", all, []string{"+build/build.go"}, "", ""},
		{"Taskfile", all, []string{"+Taskfile.yml"}, "build file", ""},
		{"source called taskfile", all, []string{"+pkg/taskfile.go"}, "", ""},
		{"magefile", all, []string{"+magefile.go"}, "build file", ""},
		{"linter", all, []string{"+.golangci.yaml"}, "build file", ""},
		{"hooks", all, []string{"+lefthook.yml", "+.pre-commit-config.yaml"}, "build file build file", ""},
		{"script", all, []string{"+install.sh"}, "build file", ""},

		{"assembly", all, []string{"~pkg/c/c_amd64.s"}, "C or assembly", ""},
		{"assembly through C", all, []string{"+pkg/c/c.S"}, "C or assembly", ""},
		{"C and its header", all, []string{"+pkg/c/c.c", "+pkg/c/c.h"}, "C or assembly C or assembly", ""},
		{"swig", all, []string{"+pkg/c/c.swigcxx"}, "C or assembly", ""},
		{"C where cgo is allowed", cgo, []string{"+pkg/c/c.c", "~pkg/c/c_amd64.s"}, "", ""},
		{"syso even where cgo is allowed", cgo, []string{"+pkg/c/c.syso"}, "object file", ""},

		{"the archive", all, []string{"+pkg/.evolve/archive"}, "own code", ""},
		{"graders", all, []string{"+tools/graders/exact.go"}, "own code", ""},

		{"a tool of many systems", all, []string{"+pkg/a/Mise.toml", "+mise/config.toml"}, "tool file tool file", ""},
		{"a test configuration of another language", all, []string{"+tools/conftest.py"}, "tool file", ""},
		{"Go source with such a name", all, []string{"+pkg/mise.go", "+pkg/agent.md.go"}, "", ""},
		{"a hidden file", all, []string{"+pkg/.newtool"}, "hidden file", ""},
		{"a hidden folder", all, []string{"+.newtool/config"}, "hidden file", ""},
		{"a hidden file that is allowed by name", Policy{Allow: []string{"pkg", ".newtool"}}, []string{"+.newtool/config", "+pkg/.newtool"}, "hidden file", ""},
		{"below a hidden folder that is allowed", Policy{Allow: []string{"pkg/.newtool/"}}, []string{"+pkg/.newtool/a"}, "", ""},
		{"hidden again below it", Policy{Allow: []string{"pkg/.newtool/"}}, []string{"+pkg/.newtool/.b"}, "hidden file", ""},
		{"allowed by name and denied by the tables", Policy{Allow: []string{".envrc", ".cursorrules"}}, []string{"+.envrc", "+.cursorrules"}, "instructions build file", ""},

		{"instructions to agents", all, []string{"+AGENTS.md", "+pkg/.claude/skills/x.md"}, "instructions instructions", ""},
		{"who reviews", all, []string{"+docs/CODEOWNERS"}, "instructions", ""},
		{"a folder of agents", all, []string{"+pkg/agents/a.go"}, "", ""},

		{"authentication of a runtime", runtime, []string{"+pkg/auth/flow.go"}, "trusted code", ""},
		{"... of anything else", all, []string{"+pkg/auth/flow.go"}, "", ""},
		{"... in a name", runtime, []string{"+pkg/OAuthFlow.go"}, "trusted code", ""},
		{"... in snake case", runtime, []string{"+pkg/rate_limit.go"}, "trusted code", ""},
		{"gateway", runtime, []string{"+src/httpGateway.ts"}, "trusted code", ""},
		{"a run of capitals", runtime, []string{"+src/HTTPProxy.ts"}, "trusted code", ""},
		{"config schema", runtime, []string{"+config/schema.go"}, "trusted code", ""},
		{"communication", runtime, []string{"+src/channels/x.ts"}, "trusted code", ""},
		{"words that only begin so", runtime, []string{"+pkg/author/mailbox.go", "+pkg/proxyless.go"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.policy.Judge(repo, edit(repo, c.steps...))
			var rules []string
			for _, f := range got.Refused {
				rules = append(rules, f.Rule)
				if f.Why == "" {
					t.Errorf("%s of %q has no reason", f.Rule, f.Path)
				}
			}
			if diff := cmp.Diff(c.rules, strings.Join(rules, " ")); diff != "" {
				t.Errorf("rules: %s\n%+v", diff, got.Refused)
			}
			if diff := cmp.Diff(c.fresh, strings.Join(got.NewTests, " ")); diff != "" {
				t.Errorf("new tests: %s", diff)
			}
			if len(got.Changed) != len(c.steps) {
				t.Errorf("%d paths changed, want %d", len(got.Changed), len(c.steps))
			}
		})
	}
}

// TestToolFiles checks that files that editors, shells, debuggers, hooks and coding agents
// execute or obey are refused by default, in every folder and with any capitalization.
func TestToolFiles(t *testing.T) {
	for _, name := range []string{
		".exrc", ".vimrc", ".nvim.lua", ".nvimrc", "_vimrc", ".dir-locals.el", ".dir-locals-2.el", ".gdbinit", ".lldbinit", "prog-gdb.py", "mise.toml", ".mise.toml",
		"mise.local.toml", ".tool-versions", ".windsurf/rules/x.md", ".windsurfrules", ".clinerules", ".clinerules/x.md", ".cursor/rules/x.mdc", ".cursorrules",
		".claude/settings.json", "CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md", "copilot-instructions.md", ".aider.conf.yml", ".continue/config.json",
		".roo/rules.md", ".junie/guidelines.md", ".kiro/hooks/x", ".zed/settings.json", ".envrc", ".vscode/tasks.json", ".idea/workspace.xml", "x.code-workspace",
		".devcontainer/devcontainer.json", ".devcontainer.json", ".husky/pre-commit", ".pre-commit-config.yaml", "lefthook.yml", ".gitattributes", ".gitmodules", ".npmrc",
		".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnpmfile.cjs", ".bashrc", ".profile", ".zshrc", ".inputrc", ".netrc", ".python-version", "Makefile", "Taskfile.yml",
		"justfile", ".justfile", ".gitlab-ci.yml", ".circleci/config.yml", "package.json", "eslint.config.js", "conftest.py", "setup.py", "build.rs", "Cargo.toml", "build.gradle",
	} {
		for _, path := range []string{name, "docs/deep/" + name, strings.ToUpper(name), "pkg/a/" + strings.ToUpper(name)} {
			base := edit(repo, "+"+path) // existing files may not be changed either
			judged := all.Judge(base, edit(base, "~"+path))
			if len(judged.Refused) == 0 {
				t.Errorf("%s may be added", path)
			}
		}
	}
}

// TestWayOut checks that a refusal that a setting can lift names that setting.
func TestWayOut(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"lib/rank.sh": "names the file allows the change", "lib/rank.c": "does not allow cgo, which needs `cgo: true` in the target's settings"} {
		got := Policy{Allow: []string{"lib"}, Scored: true}.Judge(Tree{{Path: path, Mode: Regular, Hash: "1", Size: 1}}, Tree{{Path: path, Mode: Regular, Hash: "2", Size: 1}})
		if len(got.Refused) != 1 || !strings.HasSuffix(got.Refused[0].Why, want) {
			t.Errorf("%s: %+v, want %q", path, got.Refused, want)
		}
	}
}

// TestTheRuleOnNames checks that the refusal of a harmless name states the rule.
func TestTheRuleOnNames(t *testing.T) {
	old, now := Tree{{Path: "docs/Straße.md", Mode: Regular, Hash: "a"}}, Tree{{Path: "docs/Straße.md", Mode: Regular, Hash: "b"}}
	refused := Policy{Allow: []string{"."}}.Judge(old, now).Refused
	if len(refused) != 1 || !strings.Contains(refused[0].Why, "U+00DF is not ASCII") || !strings.Contains(refused[0].Why, "ASCII paths") {
		t.Errorf("refused: %+v", refused)
	}
}
