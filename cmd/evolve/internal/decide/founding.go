package decide

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch"
	"evolve/runtime/wholefile"
)

// Founding lists the files that the first commit of a new repository would hold: the
// workspace's own. It returns nil when the workspace is in a repository that has a
// commit, and refuses when a file holds what looks like a credential.
func (d *Desk) Founding() ([]string, error) {
	repo, err := d.repository()
	if repo != nil || err != nil {
		return nil, err
	}
	files := d.Workspace.OwnFiles()
	for _, name := range files {
		if err := d.committable(name); err != nil {
			return nil, err
		}
		data, err := wholefile.Read(filepath.Join(d.Workspace.Root, filepath.FromSlash(name)), workspace.MaxOwnFile)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		if line := workspace.CredentialLine(data); line > 0 {
			return nil, credentialIn(name, line)
		}
	}
	return files, nil
}

// committable refuses files that git would not commit as they are.
func (d *Desk) committable(names ...string) error {
	for _, name := range names {
		if why := workspace.Uncommittable(d.Workspace.Root, name); why != "" {
			return Refuse("keep the file itself in the workspace, in no repository but that one", "%s %s", name, why)
		}
	}
	return nil
}

// foundable refuses to make a repository of other files than the person was shown.
func (d *Desk) foundable(shown []string) error {
	if len(shown) == 0 {
		return Refuse("`git init` and a first commit in the workspace's folder make one", "the workspace is in no git repository, and nothing was agreed on what its first commit holds")
	}
	now, err := d.Founding()
	if err != nil {
		return err
	}
	if !slices.Equal(now, shown) {
		return Refuse("repeat the command", "the files of the workspace changed after they were listed")
	}
	return nil
}

// found makes the repository of the workspace with the files that the person was shown.
func (d *Desk) found(ctx context.Context, shown []string, who patch.Person) (*patch.Repository, error) {
	if err := d.foundable(shown); err != nil {
		return nil, err
	}
	return patch.Start(ctx, d.Workspace.Root, d.Env, shown, "evolve: the workspace as it was before the first adoption\n", who)
}

// withoutCredentials refuses a change whose new content holds what looks like a
// credential, if the old content holds none.
func withoutCredentials(changes []patch.File) error {
	for _, f := range changes {
		line := workspace.CredentialLine(f.New)
		if line > 0 && workspace.CredentialLine(f.Old) == 0 {
			return credentialIn(f.Path, line)
		}
	}
	return nil
}

func credentialIn(name string, line int) error {
	return Refuse("take it out, and pass it by the name of an environment variable",
		"%s, line %d holds what looks like a credential: it would be committed", name, line)
}
