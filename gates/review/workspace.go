package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/evidence"
	"evolve/patch"
	"evolve/runtime/agent"
	"evolve/runtime/scrub"
	"evolve/runtime/tempdir"
	"evolve/runtime/wholefile"
)

// Workspace is the folder that contains the files of the agents.
type Workspace struct {
	// Root is the absolute path of the workspace.
	Root string
	// Agent returns the agent with the given id.
	Agent func(id string) (*Agent, bool)
	// OwnFiles lists the files that a first commit would contain, as slash-separated paths
	// below Root.
	OwnFiles func() []string
	// Tools lists the names of all tools that were not written by an agent. It includes the
	// tools of every server, because any agent may be given them later.
	Tools []string
	// HasPolicy reports whether the settings have a policy for a tool.
	HasPolicy func(tool string) bool
}

// Agent is an agent as defined by its present files.
type Agent struct {
	ID string
	// Builtin reports whether the agent is run by the built-in runtime, which reads tools
	// and skills.
	Builtin  bool
	Champion agent.Config
	Space    agent.Space
	// Suites are the suites on which the agent is measured.
	Suites []*bench.Suite
	// Base holds the hashes, by name, of everything on which the measurement of a config
	// depends.
	Base map[string]string
	// Hash is the hash of the agent's folder without the champion's files.
	Hash string
	// Rules are the rules by which claims about a config are judged.
	Rules evidence.Rules
	// ConfigFiles are the paths of the champion's files. Files returns the contents of
	// these files for a config, and Load reads them back below another root.
	ConfigFiles []string
	Files       func(agent.Config) map[string][]byte
	Load        func(root string) (agent.Config, error)
	// Tools names the registered tools that the agent may call; nil means all. ToolFiles
	// counts the files of the agent's own tools, and SkillFiles holds the files of its
	// skills, keyed by name.
	Tools      []string
	ToolFiles  int
	SkillFiles map[string][]byte
	// Memories are the memories in the agent's own file and in the file that all agents
	// read.
	Memories []agent.Memory
}

// MaxFile is the maximum size of a workspace file that is committed with a decision, in
// bytes.
const MaxFile = 1 << 30

// agent returns the agent of the workspace with the given id.
func (rev *Reviewer) agent(id string) (*Agent, bool) {
	if rev.Workspace == nil {
		return nil, false
	}
	return rev.Workspace.Agent(id)
}

// proposer returns the agent for which a proposal is made, and refuses if there is none
// with the given id.
func (rev *Reviewer) proposer(id string) (*Agent, error) {
	a, ok := rev.agent(id)
	if !ok {
		return nil, Refuse("`evolve agents` lists them", "the workspace has no agent %q", id)
	}
	return a, nil
}

// Stale lists the inputs that have changed since a proposal for a config was measured,
// given the present base, suites and champion of its agent. The list is empty if the
// proposal may be approved.
func Stale(ctx context.Context, store *archive.Archive, p archive.ProposalRecord, base map[string]string, suites []*bench.Suite, champion agent.ConfigID) ([]string, error) {
	list, err := moved(ctx, store, p, base, suites)
	if err == nil && len(list) == 0 && p.Champion != champion {
		list = []string{"the champion"}
	}
	return list, err
}

// workRepository returns the workspace's repository, or nil if there is none or it has no
// commit yet.
func (rev *Reviewer) workRepository() (*patch.Repository, error) {
	repo, err := patch.Open(rev.Workspace.Root, rev.Env)
	if err == nil {
		_, _, err = repo.Head()
	}
	if errors.Is(err, patch.ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return repo, nil
}

// InitialFiles lists the workspace's own files, which the first commit of a new
// repository would contain. It returns nil if the workspace is in a repository that
// already has a commit. It returns an error if git would not commit a file unchanged, or
// if a file contains text that looks like a credential.
func (rev *Reviewer) InitialFiles() ([]string, error) {
	repo, err := rev.workRepository()
	if repo != nil || err != nil {
		return nil, err
	}
	names := rev.Workspace.OwnFiles()
	for _, name := range names {
		if err := rev.committable(name); err != nil {
			return nil, err
		}
		data, err := rev.onDisk(name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		if line := scrub.Line(data); line > 0 {
			return nil, credentialIn(name, line)
		}
	}
	return names, nil
}

// committable refuses files that git would not commit unchanged.
func (rev *Reviewer) committable(names ...string) error {
	for _, name := range names {
		if why := patch.Uncommittable(rev.Workspace.Root, name); why != "" {
			return Refuse("keep the file itself, not a link to it, in the workspace and outside any nested repository", "%s %s", name, why)
		}
	}
	return nil
}

// mayInit refuses to create a repository if git is missing, or if the repository would
// contain files other than those that the person was shown.
func (rev *Reviewer) mayInit(ctx context.Context, shown []string) error {
	if _, err := patch.Command(ctx, rev.Workspace.Root, rev.Env); err != nil {
		return needsGit(err)
	}
	if len(shown) == 0 {
		return Refuse("run `git init` in the workspace's folder and make a first commit", "the workspace is not in a git repository, and no files were confirmed for its first commit")
	}
	now, err := rev.InitialFiles()
	if err != nil {
		return err
	}
	if !slices.Equal(now, shown) {
		return Refuse("repeat the command", "the files of the workspace changed after they were listed")
	}
	return nil
}

// withoutCredentials refuses a change whose new content contains text that looks like a
// credential, unless the old content contains such text too.
func withoutCredentials(changes []patch.File) error {
	for _, f := range changes {
		line := scrub.Line(f.New)
		if line > 0 && scrub.Line(f.Old) == 0 {
			return credentialIn(f.Path, line)
		}
	}
	return nil
}

func credentialIn(name string, line int) error {
	return Refuse("remove the credential, and give the name of an environment variable instead",
		"%s, line %d: what looks like a credential would be committed", name, line)
}

// onDisk reads a file in the workspace. It returns nil if the file does not exist.
func (rev *Reviewer) onDisk(name string) ([]byte, error) { return readBelow(rev.Workspace.Root, name) }

func readBelow(root, name string) ([]byte, error) {
	data, err := wholefile.Read(filepath.Join(root, filepath.FromSlash(name)), MaxFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// writeBelow writes the new content of files below folder, and removes the files that have
// none.
func writeBelow(folder string, change []patch.File) (err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range change {
		name := filepath.FromSlash(f.Path)
		if f.New == nil {
			if err := root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(name, f.New, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// scratch calls the function work with the path of a new temporary folder. Afterwards it
// removes the folder.
func scratch(work func(folder string) error) error {
	folder, err := tempdir.Make("rehearsal")
	if err != nil {
		return err
	}
	defer func() { _ = folder.Remove() }()
	return work(folder.Path)
}

func join(list []string) string { return strings.Join(list, ", ") }
