package cli

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/gates/review"
	"evolve/mutate/evidence"
	"evolve/patch"
	foreign "evolve/runtime/text"
)

// verifyView is the output of `evolve audit verify --json`.
type verifyView struct {
	Entries int64  `json:"entries"`
	Head    string `json:"head"`
	Intact  bool   `json:"intact"`
	// Proposals is the number of proposals that agree with the ledger, Unbound is the
	// number of proposals without digests in the ledger, and Gone is the number of
	// proposals whose evaluations are no longer stored.
	Proposals int `json:"proposals"`
	Unbound   int `json:"unbound"`
	Gone      int `json:"gone"`
	// Rulings counts the rulings in all results: those that could be recomputed and those
	// that could not.
	Rulings evidence.Checked `json:"rulings"`
	// Accepted is the number of times that a person accepted or restored a ledger although
	// it did not match the witness.
	Accepted int `json:"accepted"`
	// Commits counts the commits that agree with the ledger. Missing lists the adoptions
	// whose commit is not in the repository, and Lost lists the commits whose entries are
	// missing from an accepted ledger.
	Commits int      `json:"commits"`
	Missing []string `json:"missing"`
	Lost    []string `json:"lost"`
	// Later lists commits that were made after the export and concern imported proposals.
	// Others is the number of commits that name another archive, by the archive's id.
	// Unproven are imported proposals whose decision is not confirmed by any commit.
	Later    []string       `json:"later"`
	Others   map[string]int `json:"other_archives"`
	Unproven []string       `json:"unproven"`
	// NoGit is the reason why no commit was compared; it is absent if commits were
	// compared.
	NoGit string `json:"no_git,omitempty"`
	// Signer is the name of the key that signed a head of this ledger, Fingerprint is the
	// key's fingerprint, and Signed is the number of the head's entry. They are absent if
	// the check of the signature was not requested.
	Signer      string `json:"signer,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Signed      int64  `json:"signed,omitempty"`

	told archive.Audited
}

func verifyCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "check that no record was changed, moved or removed",
		Description: "Checks that the ledger's hash chain, the copy of its head next to the archive, decisions, proposals, the evaluations that " +
			"proposals rest on, and the trailers of the repository's commits all agree. " +
			"The rulings of all results are computed again from the evaluations that are still stored. " +
			"If anything disagrees, the first disagreement is printed and the exit code is 8. With audit.sign in evolve.yaml the head must be signed.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "allowed-signers", Usage: "require that one of the public keys in `FILE`, in the allowed signers format of ssh-keygen, signed a head of this ledger; audit.allowed_signers in evolve.yaml by default"}},
		Action: func(c *cli.Context) error { return auditVerify(sh, c) },
	}
}

func auditVerify(sh *shell, c *cli.Context) error {
	return inspecting(sh, c, func(root string, a *archive.Archive) error {
		v, err := verified(c.Context, sh, a, root)
		if err == nil {
			err = checkSigned(sh, c, a, root, &v)
		}
		if err != nil {
			return unverified(err)
		}
		return sh.show(v, func() { printVerified(sh.console, v) })
	})
}

// unverified converts an error that reports a contradiction within the archive, or between
// the archive and the repository, into the error of the command.
func unverified(err error) error {
	switch {
	case errors.As(err, new(*exit.Error)):
		return err
	case errors.As(err, new(*archive.LedgerError)):
		return exit.Errorf(exit.Integrity, "compare the ledger with a backup or an export; every report and adoption commit shows its head", "%w", err)
	case errors.As(err, new(*archive.AuditError)):
		return exit.Errorf(exit.Integrity, "either the archive or the repository was rewritten: compare both with a backup, as `evolve help trust` describes", "%w", err)
	}
	return err
}

// verified checks that the archive is consistent in itself and with the commits in the
// repositories of its proposals.
func verified(ctx context.Context, sh *shell, a *archive.Archive, root string) (verifyView, error) {
	told, err := a.Audit(ctx)
	v := verifyView{
		Entries: told.Entries, Head: told.Head, Proposals: told.Proposals, Unbound: told.Unbound, Gone: told.Gone, Accepted: told.Accepted,
		Missing: []string{}, Lost: []string{}, Later: []string{}, Others: map[string]int{}, Unproven: []string{}, told: told,
	}
	if err != nil {
		return v, err
	}
	if v.Rulings, err = evidence.CheckAll(ctx, a); err != nil {
		return v, err
	}
	places := map[string]bool{root: true}
	if err := forEachProposal(ctx, a, func(p archive.ProposalRecord) { places[placeOf(p, root)] = true }); err != nil {
		return v, err
	}
	for place := range places {
		repo, err := patch.Open(place, sh.Env)
		if err == nil {
			_, _, err = repo.Head()
		}
		if err != nil {
			v.NoGit = orElse("the workspace is not in a repository with a commit", err.Error(), errors.Is(err, patch.ErrNoRepository))
			continue
		}
		got, err := review.AuditCommits(ctx, a, repo, review.Audit{Mine: func(p archive.ProposalRecord) bool { return placeOf(p, root) == place }})
		if errors.Is(err, patch.ErrNoGit) {
			v.NoGit = err.Error()
			continue
		}
		if err != nil {
			return v, err
		}
		v.Commits += got.Compared
		v.Missing, v.Lost = append(v.Missing, got.Missing...), append(v.Lost, got.Lost...)
		for _, l := range got.Later {
			v.Later = append(v.Later, l.Commit)
		}
		for id, n := range got.Others {
			v.Others[id] += n
		}
		if place == root {
			v.Unproven = append(v.Unproven, got.Unproven...)
		}
	}
	slices.Sort(v.Missing)
	slices.Sort(v.Lost)
	slices.Sort(v.Later)
	v.Intact = true
	return v, nil
}

// checkSigned checks the signed head if the command line or the settings request it.
func checkSigned(sh *shell, c *cli.Context, a *archive.Archive, root string, v *verifyView) error {
	file, allowed := c.String("allowed-signers"), []byte(nil)
	set, err := sh.AuditSettings(root)
	switch {
	case file != "":
		allowed, _, err = signing.ReadKeys("--allowed-signers", sh.abs(file), "each line of the file must contain a name and a public key: `man ssh-keygen` describes the format")
	case err == nil:
		allowed, err = signing.Allowed(set)
	}
	if err != nil || allowed == nil {
		return err
	}
	h, err := signing.Current(c.Context, a, root, set, allowed)
	if err != nil {
		return signing.Explain(err)
	}
	v.Signer, v.Fingerprint, v.Signed = h.Signer.Name, h.Signer.Fingerprint, h.Seq
	return nil
}

// placeOf returns a folder in the repository into which a proposal is adopted.
func placeOf(p archive.ProposalRecord, root string) string {
	if p.Patch == nil || p.Imported != "" {
		return root
	}
	if filepath.IsAbs(p.Patch.Repository) {
		return p.Patch.Repository
	}
	return filepath.Join(root, p.Patch.Repository)
}

func printVerified(con *console, v verifyView) {
	con.printf("intact: %s, head %s\n", entries(v.Entries), v.Head)
	con.printf("  %s and %s agree with the ledger\n", count(v.Proposals, "proposal"), count(v.Commits, "commit"))
	if v.Rulings.Recomputed > 0 {
		con.printf("  %s computed again from the stored evaluations\n", count(v.Rulings.Recomputed, "ruling"))
	}
	for _, note := range []struct {
		n    int
		text string
	}{
		{v.Unbound, "made by an older version of evolve: the ledger has no digests of them"},
		{v.Gone, "not compared: their evidence is no longer stored"},
		{len(v.Missing), "adopted by a commit that the repository does not have"},
	} {
		if note.n > 0 {
			con.printf("  %s %s\n", count(note.n, "proposal"), note.text)
		}
	}
	if n := v.Rulings.Unstored; n > 0 {
		con.printf("  %s not recomputable: an older version of evolve did not store what they were computed from\n", count(n, "ruling"))
	}
	if n := v.Rulings.Gone; n > 0 {
		con.printf("  %s not recomputable: their evaluations were removed\n", count(n, "ruling"))
	}
	if v.Accepted > 0 {
		con.printf("  %s that did not match the head in .evolve/archive.head, but that a person accepted or restored (`evolve audit log`); %s whose ledger entries were lost\n",
			count(v.Accepted, "ledger"), count(len(v.Lost), "commit"))
	}
	if n := len(v.Unproven); n > 0 {
		con.printf("  %s known only from the export: no commit here confirms who decided (%s)\n", count(n, "imported decision"), strings.Join(v.Unproven, ", "))
	}
	if n := len(v.Later); n > 0 {
		con.printf("  %s about imported proposals or decisions that the export does not contain: the export is older than the commits, or was truncated\n", count(n, "commit"))
	}
	for _, id := range slices.Sorted(maps.Keys(v.Others)) {
		con.printf("  %s the archive %s, which is neither this archive nor one that was imported here: not compared\n",
			orElse(count(v.Others[id], "commit")+" name", "1 commit names", v.Others[id] != 1), foreign.Visible(id))
	}
	if v.Signer != "" {
		con.printf("  signed by %s (%s) at entry %d of %d\n", v.Fingerprint, foreign.Visible(v.Signer), v.Signed, v.Entries)
	}
	if v.NoGit != "" {
		con.printf("  not compared with commits: %s\n", v.NoGit)
	}
}
