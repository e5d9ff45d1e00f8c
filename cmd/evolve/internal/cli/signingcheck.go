package cli

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/doctor"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// signedLine describes the signature of the ledger's head, as status shows it.
type signedLine struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	Signer      string `json:"signer,omitempty"`
	// Entry is the number of the signed entry.
	Entry int64 `json:"entry,omitempty"`
	// Fault is the reason why the head is not signed as the settings require. Next is the
	// next step for a person.
	Fault string `json:"fault,omitempty"`
	Next  string `json:"next,omitempty"`
}

// signedStatus examines the signed head; it returns nil if the settings require no
// signature.
func signedStatus(ctx context.Context, sh *shell, a *archive.Archive, root string) *signedLine {
	set, err := sh.AuditSettings(root)
	if err != nil {
		return &signedLine{Fault: "it is unknown whether the head of the ledger is signed: the settings cannot be read", Next: sh.command("evolve doctor")}
	}
	allowed, err := signing.Allowed(set)
	if err == nil && allowed == nil {
		return nil
	}
	var h signing.Head
	if err == nil {
		h, err = signing.Current(ctx, a, root, set, allowed)
	}
	if err != nil {
		err = signing.Explain(err)
		_, hint := exit.Of(err)
		return &signedLine{Fault: err.Error(), Next: hint}
	}
	return &signedLine{Fingerprint: h.Signer.Fingerprint, Signer: h.Signer.Name, Entry: h.Seq}
}

func printSigned(con *console, l *signedLine) {
	switch {
	case l == nil:
	case l.Fault != "":
		con.printf("warning: %s\n", text.Visible(l.Fault))
		if l.Next != "" {
			con.printf("         %s\n", text.Visible(l.Next))
		}
		con.printf("\n")
	default:
		con.printf("\nsigned  by %s (%s) at entry %d of the ledger\n", l.Fingerprint, text.Visible(l.Signer), l.Entry)
	}
}

// signingProbe examines the keys and the signed head for doctor.
func signingProbe(ctx context.Context, sh *shell, root string) (doctor.Signing, error) {
	set, err := sh.AuditSettings(root)
	if err != nil || set == (workspace.Audit{}) {
		return doctor.Signing{}, err
	}
	s := doctor.Signing{On: true, Key: set.Sign}
	with, err := signing.Load(set)
	if err != nil {
		_, s.KeyHint = exit.Of(err)
		s.KeyFault = err.Error()
		return s, nil
	}
	if with.Key != nil {
		s.Fingerprint = with.Key.Fingerprint()
	}
	a, err := archive.OpenRead(wire.ArchiveDir(root))
	if err != nil { // the check of the archive reports the error
		return s, nil
	}
	defer func() { _ = a.Close() }()
	n, _, err := a.LedgerHead(ctx)
	if err != nil || n == 0 {
		return s, nil
	}
	h, err := signing.Current(ctx, a, root, set, with.Allowed)
	if err != nil {
		s.Wrong = errors.As(err, new(*archive.AuditError))
		err = signing.Explain(err)
		_, s.HeadHint = exit.Of(err)
		s.HeadFault = err.Error()
		return s, nil
	}
	s.Head = fmt.Sprintf("entry %d is signed by %s (%s)", h.Seq, h.Signer.Fingerprint, h.Signer.Name)
	return s, nil
}
