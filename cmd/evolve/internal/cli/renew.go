package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/text"
)

// renewAfter rewrites the pages of runs after a decision, together with the pages whose
// commands are no longer valid, and the index. The decision stands even if that fails, so a
// failure causes only a warning. A workspace without pages gets none.
func renewAfter(ctx context.Context, sh *shell, root string, runs ...string) {
	if _, err := os.Stat(reportsDir(root)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	err := wire.LookIfThere(root, func(a *archive.Archive) error {
		if err := renewPages(ctx, root, a, runs...); err != nil {
			return err
		}
		_, err := writeIndex(ctx, root, a)
		return err
	})
	if err != nil {
		sh.eprintf("warning: not every page in .evolve/reports shows the decision: %s; `%s` writes the pages again\n",
			text.Visible(err.Error()), sh.command("evolve report index"))
	}
}

// renewPages rewrites the pages of the given runs, and the pages with a command that is no
// longer valid. It writes only pages that already exist. A page that cannot be written does
// not prevent the others from being written. A run in progress writes its own page at its
// end.
func renewPages(ctx context.Context, root string, a *archive.Archive, runs ...string) error {
	src, err := asTheyAreIn(ctx, root, a)
	if err != nil {
		return err
	}
	states := map[string]archive.ProposalState{}
	for p, err := range src.Proposals(ctx) {
		if err != nil {
			return fmt.Errorf("reading the proposals: %w", err)
		}
		states[p.ID] = p.State
	}
	var all []archive.Run
	latest := 0
	for run, err := range src.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("listing the runs: %w", err)
		}
		all, latest = append(all, run), max(latest, run.Number)
	}
	var outdated []string
	for _, run := range all {
		page, err := os.ReadFile(filepath.Join(reportsDir(root), render.FileName(run.ID)))
		if err == nil && run.State != archive.RunRunning && (slices.Contains(runs, run.ID) || !valid(page, states) || run.Number < latest && resumes(page)) {
			outdated = append(outdated, run.ID)
		}
	}
	var failed []error
	for _, run := range outdated {
		r, err := model.Build(ctx, src, run)
		if err != nil {
			failed = append(failed, fmt.Errorf("building the report of run %s: %w", run, err))
			continue
		}
		failed = append(failed, writePages(root, r))
	}
	return errors.Join(failed...)
}

// decisionCommands matches the commands on a page with which a person decides on a
// proposal. Untrusted text is escaped, so it cannot contain a code element.
var decisionCommands = regexp.MustCompile(`<code>evolve (approve|reject|rollback) ([A-Za-z0-9]+)`)

// resumes reports whether a page has the command that resumes a run. Only the latest run
// can be resumed.
func resumes(page []byte) bool { return bytes.Contains(page, []byte("<code>evolve run --resume")) }

// valid reports whether each command on a page that decides on a proposal is still
// permitted in the proposal's state.
func valid(page []byte, states map[string]archive.ProposalState) bool {
	for _, m := range decisionCommands.FindAllSubmatch(page, -1) {
		state, known := states[string(m[2])]
		adopted := state == archive.Adopted
		if decided := adopted || slices.Contains(closed, state); known && decided != (string(m[1]) == "rollback" && adopted) {
			return false
		}
	}
	return true
}

// closed lists the proposal states after which no further decision is possible.
var closed = []archive.ProposalState{archive.RolledBack, archive.Rejected, archive.Expired, archive.Superseded, archive.GateFailed}
