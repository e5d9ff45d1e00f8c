package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/sshsig"
)

// signedHead and its signature lie beside the archive.
func signedHead(root string) (text, signature string) {
	text = filepath.Join(root, ".evolve", "head.signed")
	return text, text + ".sig"
}

func (sh *shell) signCommand() *cli.Command {
	return &cli.Command{
		Name: "sign", Usage: "sign the head of the ledger with an SSH key",
		Description: "Writes .evolve/head.signed and its signature, .evolve/head.signed.sig, which `ssh-keygen -Y verify -n evolve` " +
			"checks as well. Who can read the key can sign another history.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "key", Usage: "the private ed25519 key in `FILE`, without a passphrase", Required: true}},
		Action: sh.auditSign,
	}
}

func (sh *shell) auditSign(c *cli.Context) error {
	if err := sh.outside(); err != nil {
		return err
	}
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	key, err := os.ReadFile(sh.abs(c.String("key")))
	if err != nil {
		return usage(fmt.Errorf("reading the key: %w", err))
	}
	return sh.reading(c, func(a *archive.Archive) error {
		n, head, err := a.VerifyLedger(c.Context)
		if err != nil {
			return err
		}
		id, err := a.ID(c.Context)
		if err != nil {
			return err
		}
		text := fmt.Appendf(nil, "evolve ledger\narchive %s\nentry %d\nhash %s\n", id, n, head)
		sig, err := sshsig.Sign(key, text)
		if err != nil {
			return usage(err)
		}
		name, signature := signedHead(root)
		if err := renameio.WriteFile(name, text, 0o600); err != nil {
			return fmt.Errorf("writing the signed head: %w", err)
		}
		if err := renameio.WriteFile(signature, sig, 0o600); err != nil {
			return fmt.Errorf("writing the signature: %w", err)
		}
		if c.Bool("json") {
			return sh.printJSON(map[string]any{"entries": n, "head": head, "file": name})
		}
		_, err = fmt.Fprintf(sh.stdout, "signed: %d entries, head %s\n", n, head)
		return err
	})
}

// signer checks the signed head against the ledger and returns who signed it.
func (sh *shell) signer(ctx context.Context, a *archive.Archive, root, allowed string, told archive.Audited) (string, error) {
	keys, err := os.ReadFile(sh.abs(allowed))
	if err != nil {
		return "", usage(fmt.Errorf("reading the allowed signers: %w", err))
	}
	name, signature := signedHead(root)
	text, err := os.ReadFile(name)
	if err != nil {
		return "", hinted(exitIntegrity, "`evolve audit sign --key FILE` signs one", "there is no signed head: %w", err)
	}
	sig, err := os.ReadFile(signature)
	if err != nil {
		return "", hinted(exitIntegrity, "`evolve audit sign --key FILE` signs one", "there is no signed head: %w", err)
	}
	wrong := func(reason string) error { return &archive.AuditError{Subject: name, Reason: reason} }
	who, err := sshsig.Verify(keys, text, sig)
	if err != nil {
		return "", wrong(err.Error())
	}
	var id, head string
	var n int64
	if _, err := fmt.Sscanf(string(text), "evolve ledger\narchive %s\nentry %d\nhash %s\n", &id, &n, &head); err != nil {
		return "", wrong("it names no head")
	}
	mine, err := a.ID(ctx)
	if err != nil {
		return "", err
	}
	if id != mine || told.Heads[head] != n {
		return "", wrong(fmt.Sprintf("it names entry %d with the hash %.12s, which this ledger does not have", n, head))
	}
	return who, nil
}
