package workspace

import (
	"path/filepath"
	"regexp"
	"slices"

	"evolve/gates/review"

	"go.yaml.in/yaml/v4"
)

// Patches holds the settings under patches in evolve.yaml, which name the code that patches
// may be proposed for.
type Patches struct {
	Targets []PatchTarget
	// Reviewers are the agents that review patches, in the order in which they take turns;
	// if the list is empty, all agents review.
	Reviewers []string
	// Sandbox is "auto" or "none". With "auto", the default, no tests run unless a sandbox
	// is available. With "none", the operator allows the tests of a patch to run outside a
	// sandbox, with the user's rights.
	Sandbox string
	// Write is the route of the language model that writes patches at night; "" means none.
	Write string
}

// PatchTarget is a target as written in evolve.yaml: Repo may be relative to the root of
// the workspace. If Agent is empty, Tasks is 0.
type PatchTarget review.Target

// Dir returns the absolute path of a target's folder.
func (t PatchTarget) Dir(root string) string {
	if filepath.IsAbs(t.Repo) {
		return filepath.Clean(t.Repo)
	}
	return filepath.Join(root, filepath.FromSlash(t.Repo))
}

// Target returns the patch target with the given name, and reports whether there is one.
func (p Patches) Target(name string) (PatchTarget, bool) {
	at := slices.IndexFunc(p.Targets, func(t PatchTarget) bool { return t.Name == name })
	if at < 0 {
		return PatchTarget{}, false
	}
	return p.Targets[at], true
}

// TargetNames lists the names of the patch targets in their order.
func (p Patches) TargetNames() []string {
	names := make([]string, len(p.Targets))
	for i, t := range p.Targets {
		names[i] = t.Name
	}
	return names
}

// The limits on targets.
const (
	maxTargets     = 100
	maxTargetBytes = 64 << 20
	maxTargetFiles = 1000
	defaultRepo    = "."
)

// scopePattern matches "." and any path of which no element is empty, "." or "..".
var scopePattern = regexp.MustCompile(`^(\.|[^/\\\x00-\x1f]*[^/\\.\x00-\x1f][^/\\\x00-\x1f]*(/[^/\\\x00-\x1f]*[^/\\.\x00-\x1f][^/\\\x00-\x1f]*)*/?)$`)

const scopeRule = "a path from the root of the repository, such as internal/cache, or . for all of it"

func patchKeys(f *settingsFile) object {
	p := &f.Patches
	return object{seen: f.patches, keys: []key{
		{name: "targets", doc: "repositories that patches may be proposed for", field: targetsKeys(f), example: "[{name: code, allow: [internal/cache]}]"},
		{name: "reviewers", doc: "agents that review patches, taking turns and never reviewing their own; all agents if none is named", field: words(&p.Reviewers, 0, namePattern, nameRule), example: "[aide]"},
		{name: "sandbox", doc: "auto: a patch's tests run in a sandbox or not at all; none: they run with your own rights if no sandbox is available, and every report states that", field: oneOf(&p.Sandbox, "auto", "none"), def: "auto"},
		{name: "write", doc: "route of a language model that, after the search, reads how the champion failed and writes at most one patch per agent and night; if left out, no model is asked", field: text{to: &p.Write, pattern: namePattern, rule: nameRule}, example: "default"},
	}}
}

// targetsKeys describes the list of targets. Keys that a target omits have their defaults.
func targetsKeys(f *settingsFile) listOf {
	return listOf{each: func() field {
		t := PatchTarget{Repo: defaultRepo, Tasks: defaultTrialTasks}
		keys := targetKeys(&t)
		keys.check = func(s *source, n *yaml.Node, _ string) { f.addTarget(s, n, t) }
		return keys
	}}
}

func targetKeys(t *PatchTarget) object {
	var b review.Benchmark
	var c review.Scoring
	scored := func(f field) field { return then{f, func() { t.Scoring = &c }} }
	return object{keys: []key{
		{name: "name", doc: "a name of your choice", field: text{to: &t.Name, pattern: namePattern, rule: nameRule}, required: true},
		{name: "repo", doc: "root folder of its git repository or a folder in it, relative to the workspace; commands start there; paths are relative to the root of the repository", field: text{to: &t.Repo, pattern: nonEmpty, rule: "a folder"}, def: quote(defaultRepo)},
		{name: "allow", doc: "paths from the root of the repository that patches may touch, including everything below them", field: words(&t.Policy.Allow, 1, scopePattern, scopeRule), required: true},
		{name: "deny", doc: "paths, within the allowed ones, that patches must not touch; deny overrides allow", field: words(&t.Policy.Deny, 0, scopePattern, scopeRule)},
		{name: "cgo", doc: "true: patches may touch C and assembly, and tests are built with cgo", field: flag{&t.Policy.Cgo}, def: "false"},
		{name: "runtime", doc: "true: the target is an agent runtime, and patches may not touch its authentication, gateway, config schema or communication either", field: flag{&t.Policy.Runtime}, def: "false"},
		{name: "max_files", doc: "maximum number of files that one patch may change", field: whole[int]{&t.Policy.MaxFiles, 1, maxTargetFiles}, def: "20"},
		{name: "max_bytes", doc: "maximum size of one changed file, in bytes", field: whole[int64]{&t.Policy.MaxBytes, 1, maxTargetBytes}, def: "262144"},
		{name: "benchmark", doc: "Go benchmarks, or a command that measures the code; no patch may make the results significantly worse", field: unexplained{then{benchmarkKeys(&b), func() { t.Benchmark = &b }}}},
		{name: "agent", doc: "agent whose program is the target: no patch may make the agent worse on its search tasks. The base and the patched program run in a sandbox, without network access and without the adapter's environment variables. If blocks, build or test is set but score is not, the agent's tasks score versions of its code, which are searched together with its config", field: text{to: &t.Agent, pattern: namePattern, rule: nameRule}, example: "solver"},
		{name: "tasks", doc: "maximum number of search tasks that the agent runs, each once before and once after the patch", field: whole[int]{&t.Tasks, minTrialTasks, maxTrialTasks}, def: show(defaultTrialTasks)},
		{name: "score", doc: "program with its arguments; it scores the code, for the search over marked blocks (evolve:begin NAME): it is given the names of cases and prints, for each case, a JSON object with the keys case, metric, value and better", field: scored(argv(&c.Score)), example: "[./score.bin]"},
		{name: "build", doc: "program with its arguments; it builds what the scoring command runs", field: scored(argv(&c.Build)), example: "[go, build, -o, score.bin, ./cmd/score]"},
		{name: "test", doc: "program with its arguments; it must succeed before a version is scored", field: scored(argv(&c.Test)), example: "[go, test, ./...]"},
		{name: "blocks", doc: "marked blocks that the search may change; all if none is named", field: scored(words(&c.Blocks, 1, namePattern, nameRule)), example: "[priority]"},
		{name: "metric", doc: "metric by which versions are compared, one of those that the score command prints; if none is named, the first one printed", field: scored(text{to: &c.Metric, pattern: nonEmpty, rule: "text that is not empty"}), example: "excess"},
		{name: "profile", doc: "program with its arguments; it prints a profile of the current code, for the models in search.reflect that write versions; it is given the names of the search cases, or no names if the tasks of an agent score its code", field: scored(argv(&c.Profile)), example: "[./profile.sh]"},
	}}
}

// addTarget checks a target together with those before it and adds it to the settings.
func (f *settingsFile) addTarget(s *source, n *yaml.Node, t PatchTarget) {
	if t.Agent == "" {
		t.Tasks = 0
	}
	if t.Scoring != nil && len(t.Scoring.Score) == 0 {
		switch metric := child(n, "metric"); {
		case t.Agent == "":
			s.bad(n, "add score: [PROGRAM, ARGUMENTS], or agent: AGENT, whose tasks then score the target's code", "target %q has keys for the search over blocks, but neither score nor agent", t.Name)
		case metric != nil:
			s.bad(metric, "leave \"metric\" out: the agent's tasks score the target's code, unless score names a program", `"metric" requires "score"`)
		case len(t.Scoring.Blocks)+len(t.Scoring.Build)+len(t.Scoring.Test) == 0:
			s.bad(child(n, "profile"), "add blocks, build, test or score", `"profile" is useful only for a target whose code is searched`)
		}
	}
	p := &f.Patches
	another := slices.IndexFunc(p.Targets, func(other PatchTarget) bool {
		return other.Agent == t.Agent && review.Target(other).OwnCode() && review.Target(t).OwnCode()
	})
	switch _, twice := p.Target(t.Name); {
	case twice:
		s.bad(child(n, "name"), "", "there are two targets named %q", t.Name)
	case another >= 0:
		s.bad(child(n, "agent"), "merge the two targets into one with the blocks of both", "target %q already searches the code of agent %q", p.Targets[another].Name, t.Agent)
	case len(p.Targets) == maxTargets:
		s.bad(n, "", "there are more than %d targets", maxTargets)
	default:
		p.Targets = append(p.Targets, t)
	}
}

// checkPatches checks that the agents named as reviewers of patches exist, and checks the
// agents that targets name.
func (l *loader) checkPatches(agents []Agent) {
	s, ids := l.source(SettingsFile), (&Workspace{Agents: agents}).AgentIDs()
	for i, r := range l.set.Patches.Reviewers {
		if !slices.Contains(ids, r) {
			at := l.set.patches["reviewers"].Content[i]
			s.bad(at, didYouMean(r, ids), "there is no agent %q", r)
		}
	}
	l.checkTrials(s, agents)
}
