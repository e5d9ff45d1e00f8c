package archive

import (
	"encoding/json"
	"fmt"
	"time"
)

// LedgerEntry is one entry of the hash-chained ledger of everything decided or attempted.
type LedgerEntry struct {
	Seq     int64           `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"` // run.start, run.end, proposal.create, proposal.approve, …
	Actor   string          `json:"actor"`
	Subject string          `json:"subject"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Prev is the hash of the entry before, "" for the first; Hash is the SHA-256
	// over this entry's canonical form with Prev, in hexadecimal.
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// NewLedgerEntry returns an entry that the program itself makes about a subject.
func NewLedgerEntry(now time.Time, kind, subject string, data any) (LedgerEntry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return LedgerEntry{}, fmt.Errorf("writing the ledger: %w", err)
	}
	return LedgerEntry{Time: now, Kind: kind, Actor: "evolve", Subject: subject, Data: raw}, nil
}
