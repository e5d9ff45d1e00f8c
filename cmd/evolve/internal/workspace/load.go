package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/session"
)

// bootstrapFiles lists the texts that make up the built-in agent's prompt, in order of
// priority, except those that are stored elsewhere.
var bootstrapFiles = []string{"SOUL.md", "AGENT.md", "GOALS.md", "MEMORY.md", "TOOLS.md", session.FeedbackFile, "PROSOCHE.md"}

// The locations of files and folders within a workspace.
const (
	agentsDir    = "agents"
	suitesDir    = "suites"
	agentYAML    = "agent.yaml"
	memoriesFile = "memories.jsonl"
	suiteSuffix  = ".jsonl"
)

// Builtins describes the built-in parts of this version of evolve for the loader.
type Builtins struct {
	// Space returns the default space of the built-in agent. Its arguments are the agent's
	// model (ModelHeuristic or a route), the domains in the agent's file (nil for the
	// default table), the tools that the agent may be given (nil for all, empty for none),
	// the tools among them that the operator allows by name, and the agent's routes with a
	// language model, its own route first.
	Space func(model string, domains, tools, allowed []string, routes []Model) agent.Space
	// Idle returns the parameters of a space that cannot affect a built-in agent on these
	// tasks, each with the reason in words that follow "not searched:". If Idle is nil,
	// there are no such parameters. models are the models of the agent's routes.
	Idle func(space agent.Space, a *Agent, models []Model, tasks []agent.Task) map[string]string
	// Domains returns the default table of domains with their keywords.
	Domains func() map[string][]string
	// Tools lists the names that "tools" in agent.yaml may contain, in addition to the
	// tools of servers and the agent's own tools. Further lists names that only agents with
	// a language model may use.
	Tools, Further []string
	// Graders holds the rules by which suites are checked.
	Graders bench.GraderRules
}

// Load reads the workspace at root. If the workspace has any issues, Load returns a *Errors
// with every issue found, and no workspace. Any other error comes from the file system.
func Load(root string, builtins Builtins) (*Workspace, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("loading the workspace: %w", err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("loading the workspace: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("loading the workspace: %s is not a folder", root)
	}
	l := &loader{root: root, builtins: builtins, suites: map[string]*bench.Suite{}}
	l.settings()
	l.loadSuites()
	l.shared = l.readShared()
	agents := l.loadAgents()
	l.checkPolicyNames(agents)
	l.checkPatches(agents)
	if err := l.errs.err(); err != nil {
		return nil, err
	}
	for i := range agents {
		agents[i].Alike = l.joinSuites(&agents[i])
	}
	return &Workspace{Root: root, Settings: l.set.Settings, Agents: agents, Suites: l.suites, SharedMemories: l.shared.ids()}, nil
}

// LoadAlone reads the part of the workspace at root that one agent needs to run. The suites
// and the other agents may be missing, and nothing that refers to them is checked.
func LoadAlone(root string, builtins Builtins) (*Workspace, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("loading the workspace: %w", err)
	}
	l := &loader{root: root, builtins: builtins, suites: map[string]*bench.Suite{}, alone: true}
	l.settings()
	l.shared = l.readShared()
	agents := l.loadAgents()
	if err := l.errs.err(); err != nil {
		return nil, err
	}
	return &Workspace{Root: root, Settings: l.set.Settings, Agents: agents, Suites: l.suites, SharedMemories: l.shared.ids()}, nil
}

type loader struct {
	root     string
	builtins Builtins
	errs     collector
	set      *settingsFile
	// suites holds every suite; a suite with issues is nil.
	suites map[string]*bench.Suite
	shared sharedMemories
	// alone reports whether an agent is loaded without its suites and without the other
	// agents.
	alone bool
}

func (l *loader) source(elem ...string) *source {
	return &source{file: path.Join(elem...), errs: &l.errs}
}

func (l *loader) settings() {
	s := l.source(SettingsFile)
	l.set = newSettingsFile()
	if data, ok := s.read(l.root, maxYAML, true); ok {
		l.set = readSettings(s, data)
	}
}

// entries lists a folder of the workspace, sorted by name; a missing folder counts as
// empty.
func (l *loader) entries(dir string) []fs.DirEntry {
	list, err := os.ReadDir(filepath.Join(l.root, dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.source(dir).fail("cannot be read: %w", Reason(err))
	}
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
}

// isDir reports whether an entry is a folder or a link to a folder.
func (l *loader) isDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(l.root, dir, e.Name()))
	return err == nil && info.IsDir()
}

func (l *loader) loadSuites() {
	rules := l.graderRules()
	for _, e := range l.entries(suitesDir) {
		name, isSuite := strings.CutSuffix(e.Name(), suiteSuffix)
		if !isSuite || l.isDir(suitesDir, e) {
			continue
		}
		if !namePattern.MatchString(name) {
			l.source(suitesDir, e.Name()).fail("a suite's name must be %s", nameRule)
			continue
		}
		suite, issues := bench.LoadSuite(filepath.Join(l.root, suitesDir), name, rules)
		for _, i := range bench.FoldIssues(issues) {
			l.errs.add(Issue{File: i.File, Line: i.Line, Column: i.Column, Message: i.Text, Err: i.Err})
		}
		if len(issues) > 0 {
			suite = nil
		}
		if suite != nil {
			l.bindJudges(suite)
		}
		l.suites[name] = suite
	}
}

// joinSuites groups near-duplicate tasks across the suites of an agent.
func (l *loader) joinSuites(a *Agent) bench.Likeness {
	if len(a.Suites) < 2 {
		return bench.Likeness{}
	}
	suites := make([]*bench.Suite, len(a.Suites))
	for i, name := range a.Suites {
		suites[i] = l.suites[name]
	}
	return bench.JoinSuites(suites)
}

func (l *loader) loadAgents() []Agent {
	var files []*agentFile
	folded := map[string]string{}
	for _, e := range l.entries(agentsDir) {
		name := e.Name()
		if !l.isDir(agentsDir, e) {
			if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
				l.source(agentsDir, name).fail("is ignored: an agent must be a folder that contains the file %s", agentYAML)
			}
			continue
		}
		if other, ok := folded[strings.ToLower(name)]; ok {
			l.source(agentsDir, name).fail("differs from %s/%s only in letter case", agentsDir, other)
			continue
		}
		folded[strings.ToLower(name)] = name
		if f := l.readAgent(name); f != nil {
			files = append(files, f)
		}
	}
	l.checkIDs(files)
	agents := make([]Agent, 0, len(files))
	for _, f := range files {
		l.complete(f)
		agents = append(agents, f.agent)
	}
	return agents
}

// readAgent reads agents/<name>/agent.yaml.
func (l *loader) readAgent(name string) *agentFile {
	s := l.source(agentsDir, name, agentYAML)
	data, ok := s.read(l.root, maxYAML, true)
	if !ok {
		return nil
	}
	f := readAgentFile(s, data)
	if f == nil {
		return nil
	}
	f.folder = name
	f.agent.Dir = filepath.Join(l.root, agentsDir, name)
	return f
}

// checkIDs reports ids that differ from the name of their folder, and unknown reviewers.
func (l *loader) checkIDs(files []*agentFile) {
	owner := map[string]string{}
	var ids []string
	for _, f := range files {
		ids = append(ids, f.folder)
		if f.agent.ID == f.folder {
			owner[f.folder] = f.folder
		}
	}
	for _, f := range files {
		s := l.source(agentsDir, f.folder, agentYAML)
		if id := f.agent.ID; id != "" && id != f.folder {
			if other, ok := owner[id]; ok {
				s.bad(f.given["id"], "", "the id %q is taken by %s/%s", id, agentsDir, other)
			} else {
				s.bad(f.given["id"], "rename one of them", "the id %q is not the name of its folder, %q", id, f.folder)
			}
		}
		for i, r := range f.agent.Reviewers {
			at := f.item("reviewers", i)
			switch {
			case r == f.folder:
				s.bad(at, "", "an agent cannot review its own proposals")
			case !l.alone && !slices.Contains(ids, r):
				s.bad(at, didYouMean(r, ids), "there is no agent %q", r)
			}
		}
	}
}

// complete checks an agent against the rest of the workspace and reads the other files in
// the agent's folder.
func (l *loader) complete(f *agentFile) {
	s := l.source(agentsDir, f.folder, agentYAML)
	a := &f.agent
	a.ID = f.folder
	if !l.alone {
		l.checkSuites(s, f)
	}
	l.checkModel(s, f)
	if a.Adapter.Kind == KindBuiltin {
		a.ToolFiles = l.folderFiles(path.Join(agentsDir, f.folder, toolsDir), maxTool, ".json", ".star")
		a.SkillFiles = l.folderFiles(path.Join(agentsDir, f.folder, skillsDir), maxSkill, ".md")
	}
	l.checkTools(s, f)
	a.Bootstrap = l.bootstrap(f)
	a.Memories = l.memories(f)
	l.extendDomains(f)
	l.space(s, f)
	hashes, err := hashFolder(a.Dir)
	if err != nil {
		l.source(agentsDir, f.folder).fail("cannot be hashed: %w", err)
	}
	if a.Adapter.Kind == KindBuiltin {
		hashes = hashes.withShared(l.shared)
	}
	a.Hash, a.folder = hashes.code, hashes.all
}

// extendDomains adds the further domains to the agent's table or, if there is none, to the
// default table.
func (l *loader) extendDomains(f *agentFile) {
	if len(f.further) == 0 {
		return
	}
	a := &f.agent
	if a.Domains == nil && l.builtins.Domains != nil {
		a.Domains = l.builtins.Domains()
	}
	for _, name := range SortedNames(f.further) {
		all := slices.Concat(a.Domains[name], f.further[name])
		slices.Sort(all)
		put(&a.Domains, name, slices.Compact(all))
	}
}

// space sets the agent's space and champion, unless agent.yaml has too many issues.
func (l *loader) space(s *source, f *agentFile) {
	a := &f.agent
	switch a.Adapter.Kind {
	case KindCommand, KindHTTP:
		a.Known = declaredSpace(s, f)
		a.Space = a.Known
		if !l.errs.failed(s.file) {
			a.Champion, _ = readChampion(&l.errs, l.root, a, a.Known)
			a.Space, a.Unsearched = withoutDead(a.Known)
		}
	case KindBuiltin:
		if l.builtins.Space == nil {
			s.bad(f.adapter["kind"], "", "this workspace has no built-in agent")
			return
		}
		var searched []string
		tools := a.Tools
		if tools == nil && a.Adapter.Model != ModelHeuristic {
			tools = l.toolsOf(a)
		}
		full := l.builtins.Space(a.Adapter.Model, SortedNames(a.Domains), tools, a.Allow, l.modelsOf(a))
		a.Known, searched = narrowedSpace(s, f, full)
		a.Space = a.Known
		if l.errs.failed(s.file) {
			return
		}
		if champion, ok := readChampion(&l.errs, l.root, a, a.Known); ok {
			a.Known = fix(a.Known, searched, champion)
			a.Champion = a.Known.Canonical(champion)
			a.Unsearched = l.unsearched(a, searched)
			a.Space = fix(a.Known, a.acting(), a.Champion)
			for _, d := range f.params {
				if _, ok := a.Space.Lookup(d.Name); !ok {
					s.bad(d.name, "also search the parameters that it depends on", "parameter %q can never be active under the champion", d.Name)
				}
			}
		}
	}
}

func (l *loader) checkSuites(s *source, f *agentFile) {
	names := SortedNames(l.suites)
	owner := map[string]string{} // of a task's id
	for i, name := range f.agent.Suites {
		suite, ok := l.suites[name]
		if !ok {
			hint := didYouMean(name, names)
			if bare, cut := strings.CutSuffix(name, suiteSuffix); cut && slices.Contains(names, bare) {
				hint = fmt.Sprintf("write %s", bare)
			}
			s.bad(f.item("suites", i), hint, "there is no suite %q in %s/", name, suitesDir)
			continue
		}
		if suite == nil {
			continue // the suite's own issues are reported
		}
		for t := range suite.Tasks {
			id := suite.Tasks[t].ID
			if other, twice := owner[id]; twice && other != name {
				s.bad(f.item("suites", i), "", "the suites %q and %q both have a task %q", other, name, id)
				break
			}
			owner[id] = name
		}
	}
}

func (l *loader) bootstrap(f *agentFile) map[string]string {
	out := map[string]string{}
	for _, name := range bootstrapFiles {
		if data, ok := l.source(agentsDir, f.folder, name).read(l.root, maxText, false); ok {
			out[name] = string(data)
		}
	}
	return out
}

// SortedNames returns the sorted keys of a map; it returns nil if there are none.
func SortedNames[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
