package scope

import (
	"fmt"
	"slices"
	"strings"
)

var (
	// toolFolders are folders from which a tool automatically reads commands or
	// instructions. Folders whose names begin with a dot are refused as hidden.
	toolFolders = []string{"mise", "githooks", "git-hooks"}
	// toolFiles are files that editors, shells, debuggers, language tools and coding agents
	// execute or obey when a person opens, enters or builds the folder. Files whose names
	// begin with a dot are refused as hidden.
	toolFiles = []string{
		// Editors and debuggers.
		"_exrc", "_vimrc", "_gvimrc", "_viminfo", "exrc", "vimrc", "gvimrc", "session.vim", "*.vim", "*.code-workspace", "*.sublime-project", "*.sublime-workspace",
		"*-gdb.py", "*-gdb.gdb", "*-gdb.scm", "gdbinit", "lldbinit", "_gdbinit", "*.el", "*.elc", "*.iml", "*.ipr", "*.iws",
		// Shells and tool managers.
		"mise.toml", "mise.*.toml", "mise.lock", "devbox.json", "devenv.*", "hk.pkl", "vagrantfile", "procfile", "procfile.*", "brewfile", "*.csh", "*.ksh", "*.psm1", "*.psd1",
		"desktop.ini", "autorun.inf", "*.desktop", "*.lnk", "*.url", "*.command", "*.scpt", "*.applescript", "*.vbs", "*.wsf", "*.hta", "*.reg", "*.msi", "*.scr", "*.com",
		// Build and package files of other languages, which run code from the folder.
		"*.gradle", "*.gradle.kts", "gradlew", "mvnw", "gradle.properties", "pom.xml", "build.xml", "rakefile", "gemfile", "gemfile.lock", "*.gemspec", "setup.py", "setup.cfg",
		"pyproject.toml", "tox.ini", "pytest.ini", "noxfile.py", "conftest.py", "sitecustomize.py", "usercustomize.py", "*.pth", "requirements*.txt", "pipfile*", "uv.lock", "poetry.lock",
		"build.rs", "cargo.toml", "cargo.lock", "rust-toolchain*", "gruntfile.*", "gulpfile.*", "*.config.js", "*.config.cjs", "*.config.mjs", "*.config.ts", "*.config.mts",
		"yarn.lock", "pnpm-*", "pnpmfile.*", "bun.lock*", "bunfig.toml", "deno.json*", "deno.lock", "composer.json", "sconstruct", "sconscript", "wscript", "buck", "tupfile*",
		"snakefile", "mix.exs", "rebar.config", "dub.json", "dub.sdl", "stack.yaml", "*.cabal", "build.zig", "build.zig.zon", "build.sbt", "project.clj", "deps.edn", "shard.yml",
		// Coding agents.
		"agent.md", "warp.md", "qwen.md", "crush.md", "skill.md", "*.mdc", "*.instructions.md", "*.prompt.md", "*.chatmode.md", "*.agent.md",
		"opencode.json*", "crush.json", "mcp.json", "copilot-*", "cursorrules*", "windsurfrules*", "clinerules*",
	}
)

// hidden reports whether a segment begins with a dot. Nearly every tool uses such names for
// the files that it reads automatically, and a list of names would not keep up with new
// tools.
func hidden(segment string) bool {
	return strings.HasPrefix(segment, ".") && segment != "." && segment != ".."
}

// tool refuses files, in any folder, that a tool on a person's machine executes or obeys
// automatically. A hidden file is accepted if an entry of Allow names its hidden segments;
// the other tables have no exceptions.
func (p Policy) tool(c *change) (rule, why string) {
	if pattern, ok := anywhere(toolFolders, c.folded[:len(c.folded)-1]); ok {
		return "tool file", fmt.Sprintf("editors, shells or agents read a folder named %s automatically", pattern)
	}
	// Go source is compiled and tested, whatever its name.
	if pattern, ok := matches(toolFiles, c.name()); ok && !strings.HasSuffix(c.name(), ".go") {
		return "tool file", fmt.Sprintf("an editor, a shell, a build or an agent reads it automatically (%s), and go test does not show the effect", pattern)
	}
	at := len(c.segments) - 1
	for at >= 0 && !hidden(c.folded[at]) {
		at--
	}
	names := func(entry string) bool {
		return entry != root && strings.Count(strings.TrimSuffix(entry, "/"), "/") >= at && covers(entry, c.segments)
	}
	if at < 0 || slices.ContainsFunc(p.Allow, names) {
		return "", ""
	}
	return "hidden file", fmt.Sprintf("%q is hidden: editors, shells and agents read such files automatically; an entry in `allow` that names it allows the change", c.segments[at])
}
