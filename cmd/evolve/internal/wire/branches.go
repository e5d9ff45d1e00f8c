package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// branchesFolder is the folder in .evolve that holds the texts of pull requests.
const branchesFolder = "branches"

// branching returns the settings for deciding on proposals at a remote; it returns nil if
// proposals are adopted by commits in the workspace.
func (h *Host) branching(w *workspace.Workspace) *review.Branching {
	a := w.Settings.Adoption
	if a.Via != workspace.ViaBranch {
		return nil
	}
	b := &review.Branching{Remote: a.Remote, Base: a.Base}
	if len(a.Open) > 0 {
		b.Open = func(ctx context.Context, r review.PullRequest) error { return h.openPullRequest(ctx, w, r) }
	}
	return b
}

// pullRequest is the JSON that is written to the standard input of the program that
// adoption.open names.
type pullRequest struct {
	Version    int    `json:"version"`
	Proposal   string `json:"proposal"`
	Repository string `json:"repository"`
	Remote     string `json:"remote"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`
	Commit     string `json:"commit"`
	Title      string `json:"title"`
	BodyFile   string `json:"body_file"`
}

// openPullRequest runs the program that adoption.open names, with the operator's rights
// and environment.
func (h *Host) openPullRequest(ctx context.Context, w *workspace.Workspace, r review.PullRequest) error {
	file := filepath.Join(w.StateDir(), branchesFolder, filepath.Base(r.Branch)+".md")
	if err := workspace.CheckState(w.Root); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("creating the folder for the texts of pull requests: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(r.Body), 0o600); err != nil {
		return fmt.Errorf("writing the text of the pull request: %w", err)
	}
	line, err := json.Marshal(pullRequest{1, r.Proposal, r.Folder, r.Remote, r.Branch, r.Base, r.Commit, r.Title, file})
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	program := notify.Program{Argv: w.Settings.Adoption.Open, Dir: w.Root, Env: h.Env}
	if err := program.Run(ctx, line); err != nil {
		return errors.New(h.Scrub(w)(program.String() + ": " + err.Error()))
	}
	return nil
}
