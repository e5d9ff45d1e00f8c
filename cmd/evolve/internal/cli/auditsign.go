package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/sshsig"
)

// signOptions are the flags of `evolve audit sign`.
type signOptions struct {
	key  string
	anew bool
}

func signCommand(sh *shell) *cli.Command {
	var o signOptions
	return &cli.Command{
		Name: "sign", Usage: "sign the head of the ledger with an SSH key",
		Description: "Writes .evolve/head.signed and its signature, .evolve/head.signed.sig, which `ssh-keygen -Y verify -n evolve` " +
			"can also check. Anyone who can read the key can sign a different history. With audit.sign in evolve.yaml each entry is " +
			"signed when it is written; this command signs entries that were added in other ways, such as by a restore: review them first. " +
			"It does not sign a ledger in which `evolve audit verify` finds a fault.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "key", Destination: &o.key, Usage: "the private ed25519 key in `FILE`, without a passphrase; audit.sign in evolve.yaml by default"},
			&cli.BoolFlag{Name: "anew", Destination: &o.anew, Usage: "sign even if the head that was signed before is not in the ledger"},
		},
		Action: func(c *cli.Context) error { return auditSign(sh, c, o) },
	}
}

func auditSign(sh *shell, c *cli.Context, o signOptions) error {
	if err := outside(sh); err != nil {
		return err
	}
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	with, err := keysFor(sh, root, o.key)
	if err != nil {
		return err
	}
	return reading(sh, c, func(_ string, a *archive.Archive) error {
		was, err := signing.Read(c.Context, a, root, with.Allowed)
		switch {
		case errors.Is(err, signing.ErrUnsigned), err == nil, o.anew:
		case errors.As(err, new(*archive.AuditError)):
			return exit.Errorf(exit.Integrity, signing.Hint, "the ledger does not continue from the head that was signed before: %w", err)
		default:
			return err
		}
		n, head, err := signVerified(c.Context, sh, a, root, with.Key)
		if err != nil {
			return err
		}
		sh.stands = fmt.Sprintf("the head of the ledger is signed at entry %d", n)
		if sh.json {
			name, _ := signing.Files(root)
			return sh.printJSON(map[string]any{"entries": n, "head": head, "file": name, "fingerprint": with.Key.Fingerprint(), "signed_before": was.Seq})
		}
		_, err = fmt.Fprintf(sh.stdout, "signed: %s, head %s\n", entries(n), head)
		if err == nil && was.Signer.Fingerprint != "" && was.Seq < n {
			_, err = fmt.Fprintf(sh.stdout, "  newly signed: entries %d to %d; to list them, run %s\n", was.Seq+1, n, sh.command(fmt.Sprintf("evolve audit log --from %d", was.Seq+1)))
		}
		return err
	})
}

// keysFor returns the keys from the setting audit, or the key in the file named on the
// command line.
func keysFor(sh *shell, root, file string) (signing.Keys, error) {
	set, err := sh.AuditSettings(root)
	if file != "" {
		if set.Sign = sh.abs(file); err != nil { // only the key is needed, not the other settings
			set.AllowedSigners = ""
		}
		err = nil
	}
	if err != nil {
		return signing.Keys{}, err
	}
	if set.Sign == "" {
		return signing.Keys{}, exit.Errorf(exit.Usage, "name it with --key FILE, or with `audit: {sign: FILE}` in evolve.yaml", "there is no key to sign with")
	}
	return signing.Load(set)
}

// signVerified signs the head of a ledger if all checks of `audit verify` pass and the
// chain up to that head is intact. A run may add entries to the ledger meanwhile.
func signVerified(ctx context.Context, sh *shell, a *archive.Archive, root string, key *sshsig.Key) (int64, string, error) {
	if _, err := verified(ctx, sh, a, root); err != nil {
		return 0, "", unverified(err)
	}
	id, err := a.ID(ctx)
	if err != nil {
		return 0, "", err
	}
	for {
		n, head, err := a.VerifyLedger(ctx)
		if err != nil {
			return n, head, err
		}
		if err := signing.Write(root, key, id, n, head); err != nil {
			return n, head, err
		}
		if now, _, err := a.LedgerHead(ctx); err != nil || now == n {
			return n, head, err
		}
	}
}
