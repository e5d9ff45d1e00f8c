package wire

import (
	"encoding/json"
	"testing"
	"time"

	"evolve/archive"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// TestTheDayCountsDrafts: what a language model was paid for proposals counts against
// the budgets of the day, from midnight UTC on.
func TestTheDayCountsDrafts(t *testing.T) {
	root := t.TempDir()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	store, err := archive.Open(ArchiveDir(root), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		kind string
		at   time.Time
	}{
		{night.DraftKind, noon.Add(-13 * time.Hour)}, // yesterday
		{night.DraftKind, noon.Add(-12 * time.Hour)},
		{night.DraftKind, noon.Add(-time.Hour)},
		{"run.end", noon.Add(-time.Hour)},
	} {
		raw, err := json.Marshal(night.DraftNote{Agent: "clerk", Usage: agent.Usage{InputTokens: 900, OutputTokens: 100, CostUSD: 0.25}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Append(t.Context(), archive.LedgerEntry{Time: e.at, Kind: e.kind, Actor: "evolve", Subject: "1-a", Data: raw}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	h := &Host{Now: func() time.Time { return noon }, Ctx: t.Context()}
	if got := h.spending(root); got.usd != 0.5 || got.tokens != 2000 || got.calls != 2 {
		t.Errorf("the day counts %+v", got)
	}
}
