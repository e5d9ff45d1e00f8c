package archive

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"evolve/bench"
)

// LedgerImported is the kind of the entry that an import appends to the imported ledger.
// The entry's data is an Imported.
const LedgerImported = "archive.import"

// Imported describes an import. Imported records are history: this archive makes no claims
// based on them.
type Imported struct {
	// SHA256 is the hash of the export's lines before the trailer, and Lines is their
	// number.
	SHA256 string `json:"sha256"`
	// Origin is the id of the archive that was exported, as the export states it, or "" if
	// the export states none. Commits that name it are compared with the imported ledger.
	Origin string `json:"origin,omitempty"`
	Lines  int    `json:"lines"`
	// Drafts counts the proposals that waited for a decision in the exported archive and
	// are drafts in this archive.
	Drafts int `json:"drafts"`
	// Entries is the length of the imported ledger, and Head is the hash of its last entry.
	Entries int64  `json:"entries"`
	Head    string `json:"head"`
}

// importedKey is the prefix of the keys of imported evaluations. No evaluation of this
// archive has such a key, so a lookup never returns a foreign score.
const importedKey = "imported:"

func foreignKey(k bench.Key) bench.Key {
	if strings.HasPrefix(string(k), importedKey) {
		return k
	}
	return importedKey + k
}

// foreignCandidate voids the evidence of an imported candidate; its entry still counts for
// the error control.
func foreignCandidate(c Candidate) Candidate {
	if c.Void == "" {
		c.Void = "it was imported: measurements made elsewhere are not evidence here"
	}
	return c
}

// foreignRun ends an imported run, so that it cannot be resumed here.
func foreignRun(r Run) Run {
	r.Imported = true
	if r.State != RunDone {
		r.State, r.Reason = RunDone, strings.TrimPrefix(r.Reason+"; imported before the run had ended", "; ")
	}
	return r
}

// foreignProposal makes an imported proposal a draft if it was not closed, and reports
// whether the proposal waited for a decision in its own archive.
func foreignProposal(p *ProposalRecord) (draft bool) {
	if p.Imported == "" {
		p.Imported = p.State
	}
	switch p.State {
	case Gated, Awaiting, HumanLane, Approved, GateFailed, Drafted:
		draft = p.State != Drafted
		p.State = Drafted
	}
	return draft
}

// checkRun returns an error for a record of a run that the export does not contain. A later
// run with the same id would use the record.
func (im *importer) checkRun(run string) error {
	if !im.runs[run] {
		return fmt.Errorf("there is no run %q", run)
	}
	return nil
}

// appendEntry adds the ledger entry about the import.
func (im *importer) appendEntry(ctx context.Context) error {
	id, err := im.a.ID(ctx)
	if err != nil {
		return err
	}
	data, err := appendJSON(nil, Imported{
		SHA256: hex.EncodeToString(im.sum.Sum(nil)), Origin: im.origin, Lines: im.lines, Drafts: im.drafts, Entries: im.last.Seq, Head: im.last.Hash,
	})
	if err == nil {
		_, err = chainTo(&im.b, im.last, LedgerEntry{Time: im.a.now(), Kind: LedgerImported, Actor: "evolve", Subject: id, Data: data})
	}
	return err
}

// ImportOf returns the ledger's record of the last import and the number of its entry,
// which is 0 if there was no import.
func (a *Archive) ImportOf(ctx context.Context) (Imported, int64, error) {
	var found Imported
	var seq int64
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return found, 0, err
		}
		if e.Kind == LedgerImported {
			var recorded Imported
			if strictJSON(e.Data, &recorded) != nil {
				return found, 0, errors.Join(ErrCorrupt, fmt.Errorf("ledger entry %d records no import", e.Seq))
			}
			found, seq = recorded, e.Seq
		}
	}
	return found, seq, nil
}
