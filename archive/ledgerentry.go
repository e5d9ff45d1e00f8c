package archive

import (
	"encoding/json"
	"fmt"
	"time"
)

// LedgerEntry is one entry of the hash-chained ledger, which records everything that was
// decided or attempted.
type LedgerEntry struct {
	Seq     int64           `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"` // run.start, run.end, proposal.create, proposal.approve, …
	Actor   string          `json:"actor"`
	Subject string          `json:"subject"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Prev is the hash of the previous entry, or "" for the first; Hash is the SHA-256, in
	// hexadecimal, of this entry's canonical form, which includes Prev.
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// NewLedgerEntry returns an entry about a subject with evolve itself as the actor.
func NewLedgerEntry(now time.Time, kind, subject string, data any) (LedgerEntry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return LedgerEntry{}, fmt.Errorf("writing the ledger: %w", err)
	}
	return LedgerEntry{Time: now, Kind: kind, Actor: "evolve", Subject: subject, Data: raw}, nil
}
