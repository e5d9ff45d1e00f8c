package decide

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch"
	"evolve/runtime/authored"
	"evolve/runtime/wholefile"
)

// Desk makes proposals and carries out decisions on them.
type Desk struct {
	Workspace *workspace.Workspace
	Archive   *archive.Archive
	// Env is the environment for native git.
	Env []string
	Now func() time.Time
	// Check runs the tests of a tool that an agent wrote; if it is nil, no such proposal
	// passes its gates.
	Check func(context.Context, authored.Definition) authored.Report
	// Reached is called at every step of a decision; its error stops the decision there.
	// Nil except in tests.
	Reached func(step string) error
}

// RefusedError is the reason why something was not done, with a hint for the user.
type RefusedError struct {
	Text, Hint string
	err        error
}

func (e *RefusedError) Error() string { return e.Text }

// Unwrap returns the underlying error, if there is one.
func (e *RefusedError) Unwrap() error { return e.err }

// Refuse makes a *RefusedError.
func Refuse(hint, format string, args ...any) error {
	return &RefusedError{Text: fmt.Sprintf(format, args...), Hint: hint}
}

// repository returns the workspace's repository, or nil if there is none with a commit.
func (d *Desk) repository() (*patch.Repository, error) {
	repo, err := patch.Open(d.Workspace.Root, d.Env)
	if errors.Is(err, patch.ErrNoRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, _, err := repo.Head(); errors.Is(err, patch.ErrNoRepository) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return repo, nil
}

// onDisk reads a file of the workspace, nil when it does not exist.
func (d *Desk) onDisk(path string) ([]byte, error) {
	data, err := wholefile.Read(filepath.Join(d.Workspace.Root, filepath.FromSlash(path)), workspace.MaxOwnFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// differ lists the files on disk whose content is not want.
func (d *Desk) differ(files []archive.FileChange, want func(archive.FileChange) []byte) ([]string, error) {
	var out []string
	for _, f := range files {
		have, err := d.onDisk(f.Path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.Path, err)
		}
		if !same(have, want(f)) {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// astray lists the files whose content in a commit is not want.
func astray(repo *patch.Repository, commit string, files []archive.FileChange, want func(archive.FileChange) []byte) ([]string, error) {
	var out []string
	for _, f := range files {
		have, err := repo.File(commit, f.Path)
		if err != nil {
			return nil, err
		}
		if !same(have, want(f)) {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// same compares two contents of a file; nil is a missing file.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func before(f archive.FileChange) []byte { return f.Old }
func after(f archive.FileChange) []byte  { return f.New }

// files converts a record's files to those of package patch.
func files(p archive.ProposalRecord) []patch.File {
	out := make([]patch.File, len(p.Files))
	for i, f := range p.Files {
		out[i] = patch.File{Path: f.Path, Old: f.Old, New: f.New}
	}
	return out
}

func paths(p archive.ProposalRecord) []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f.Path
	}
	return out
}

// Find returns a proposal and its agent.
func (d *Desk) Find(ctx context.Context, id string) (archive.ProposalRecord, *workspace.Agent, error) {
	p, err := d.proposal(ctx, id)
	if err != nil {
		return p, nil, err
	}
	a, ok := d.Workspace.Agent(p.Agent)
	if !ok {
		return p, nil, Refuse("bring the agent's folder back, or reject the proposal", "proposal %s is for the agent %q, which the workspace no longer has", p.ID, p.Agent)
	}
	return p, a, nil
}

func (d *Desk) proposal(ctx context.Context, id string) (archive.ProposalRecord, error) {
	p, err := d.Archive.Proposal(ctx, id)
	if errors.Is(err, archive.ErrNotFound) {
		return p, Refuse("`evolve proposals` lists them", "there is no proposal %q", id)
	}
	if err != nil {
		return p, fmt.Errorf("reading proposal %s: %w", id, err)
	}
	return p, nil
}

// awaits reports whether a proposal may still be decided on.
func awaits(s archive.ProposalState) bool {
	return slices.Contains([]archive.ProposalState{archive.Awaiting, archive.HumanLane, archive.GateFailed, archive.Drafted, archive.Gated}, s)
}
