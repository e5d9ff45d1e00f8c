package archive

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/authored"
)

// sick is the health record of a tool that failed twice.
func sick(tool string) ToolHealth {
	return ToolHealth{
		Agent: "solver", Tool: tool, Updated: day,
		Health: authored.Health{Source: "ab12", Failures: 2, Last: agent.Timeout},
	}
}

func contractToolHealth(t *testing.T, p pairOf) {
	ctx := context.Background()
	if got := collect(t, p.r.ToolHealths(ctx)); len(got) != 0 {
		t.Errorf("before anything failed: %+v", got)
	}
	if _, err := p.r.ToolHealth(ctx, "solver", "sum"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown tool: %v", err)
	}
	first, other := sick("sum"), sick("sum")
	other.Agent = "another"
	for _, h := range []ToolHealth{first, other} {
		if err := p.w.PutToolHealth(ctx, h, nil); err != nil {
			t.Fatal(err)
		}
	}
	first.Health = first.Health.After("ab12", "error in line 2", agent.Execution)
	first.Updated = day.Add(time.Hour)
	told := LedgerEntry{Time: day, Kind: "tool.quarantine", Actor: "evolve", Subject: "forged", Data: []byte(`{"failures":3}`)}
	if err := p.w.PutToolHealth(ctx, first, &told); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, must(p.r.ToolHealth(ctx, "solver", "sum"))(t)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]ToolHealth{other, first}, collect(t, p.r.ToolHealths(ctx))); diff != "" {
		t.Error(diff)
	}
	entries := collect(t, p.r.Ledger(ctx, 0))
	if len(entries) != 1 || entries[0].Kind != "tool.quarantine" || entries[0].Subject != "solver/sum" || told.Subject != "forged" {
		t.Errorf("the ledger tells %+v", entries)
	}
	if _, _, err := p.r.VerifyLedger(ctx); err != nil {
		t.Error(err)
	}

	// A health record that cannot be stored leaves no ledger entry either.
	for name, spoil := range map[string]func(*ToolHealth){
		"without agent": func(h *ToolHealth) { h.Agent = "" },
		"no tool":       func(h *ToolHealth) { h.Tool = "" },
		"a long name":   func(h *ToolHealth) { h.Tool = strings.Repeat("x", maxHealthName+1) },
		"no text":       func(h *ToolHealth) { h.Tool = "a\xff" },
		"a long hash":   func(h *ToolHealth) { h.Health.Source = strings.Repeat("x", maxHealthName+1) },
		"less than no":  func(h *ToolHealth) { h.Health.Failures = -1 },
	} {
		h := sick("sum")
		spoil(&h)
		if err := p.w.PutToolHealth(ctx, h, &told); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	if got := collect(t, p.r.Ledger(ctx, 0)); len(got) != 1 {
		t.Errorf("the ledger has %d entries", len(got))
	}
}
