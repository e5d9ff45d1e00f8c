package archive

import (
	"encoding/json"
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
