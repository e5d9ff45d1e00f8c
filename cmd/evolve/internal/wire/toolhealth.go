package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
)

// toolUse tracks the failures of the tools that an agent wrote, from the agent's opening
// to its closing.
type toolUse struct {
	agent string
	defs  []authored.Definition
	// live reports that a failure counts at once. Evaluations are compared with each
	// other: to them a tool is all the time what it was when the agent was opened.
	live bool

	mu     sync.Mutex
	health map[string]authored.Health // the health that calls are compared with
	failed map[string][]agent.Outcome // since the opening, by tool
}

// toolUse reads what is known of an agent's tools.
func (f *AgentFactory) toolUse(ctx context.Context, a *workspace.Agent, defs []authored.Definition) (*toolUse, error) {
	u := &toolUse{agent: a.ID, defs: defs, live: f.Live, health: map[string]authored.Health{}, failed: map[string][]agent.Outcome{}}
	if len(defs) == 0 {
		return u, nil
	}
	return u, f.look(func(store *archive.Archive) error {
		for _, d := range defs {
			h, err := store.ToolHealth(ctx, a.ID, d.Name)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return err
			}
			u.health[d.Name] = h.Health
		}
		return nil
	})
}

// options returns the callbacks for the tools.
func (u *toolUse) options() authored.Options {
	return authored.Options{Quarantined: u.quarantined, Failed: u.fail}
}

func (u *toolUse) quarantined(d authored.Definition) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.health[d.Name].Quarantined(d.Hash())
}

func (u *toolUse) fail(d authored.Definition, o agent.Outcome) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed[d.Name] = append(u.failed[d.Name], o)
	if u.live {
		u.health[d.Name] = u.health[d.Name].After(d.Hash(), o)
	}
}

// any reports whether a tool has failed since the opening.
func (u *toolUse) any() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.failed) > 0
}

// identity names the tools in quarantine: an answer without them is another answer.
func (u *toolUse) identity() string {
	var names []string
	for _, d := range u.defs {
		if u.quarantined(d) {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// keep stores the failures since the opening, with an entry in the ledger for each
// tool that they put into quarantine.
func (u *toolUse) keep(ctx context.Context, store *archive.Archive, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, d := range u.defs {
		outcomes := u.failed[d.Name]
		if len(outcomes) == 0 {
			continue
		}
		stored, err := store.ToolHealth(ctx, u.agent, d.Name)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return err
		}
		h, was := stored.Health, stored.Health.Quarantined(d.Hash())
		for _, o := range outcomes {
			h = h.After(d.Hash(), o)
		}
		var told *archive.LedgerEntry
		if !was && h.Quarantined(d.Hash()) {
			e, err := QuarantineNote{Source: h.Source, Failures: h.Failures, Last: h.Last}.Entry("tool.quarantine", "evolve", now)
			if err != nil {
				return err
			}
			told = &e
		}
		if err := store.PutToolHealth(ctx, archive.ToolHealth{Agent: u.agent, Tool: d.Name, Health: h, Updated: now}, told); err != nil {
			return err
		}
		delete(u.failed, d.Name)
	}
	return nil
}

// QuarantineNote is the data of a ledger entry about a tool that went into quarantine or
// came out of it.
type QuarantineNote struct {
	Source   string        `json:"source"`
	Failures int           `json:"failures"`
	Last     agent.Outcome `json:"last,omitempty"`
	Reason   string        `json:"reason,omitempty"`
}

// Entry returns the ledger entry of a kind.
func (n QuarantineNote) Entry(kind, actor string, now time.Time) (archive.LedgerEntry, error) {
	e, err := archive.NewLedgerEntry(now, kind, "", n)
	e.Actor = actor
	return e, err
}

// keepHealth stores what happened to the tools. When another run holds the archive, only the
// count is lost, with a warning.
func (f *AgentFactory) keepHealth(u *toolUse) error {
	if !u.any() {
		return nil
	}
	ctx, store := context.WithoutCancel(f.host.Ctx), f.Store
	if store == nil {
		own, err := f.host.OpenArchive(f.workspace.Root, "evolve")
		var locked *archive.LockedError
		if errors.As(err, &locked) {
			f.host.Log.Warn("the failures of tools were not counted: " + locked.Error())
			return nil
		}
		if errors.As(err, new(signing.KeyError)) {
			f.host.Log.Warn("the failures of tools were not counted: " + err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = own.Close() }()
		store = own
	}
	if err := u.keep(ctx, store, f.host.Now()); err != nil {
		return fmt.Errorf("storing the health of tools: %w", err)
	}
	return nil
}

// look reads the archive: the one that a run holds, or the one that is there.
func (f *AgentFactory) look(read func(*archive.Archive) error) error {
	if f.Store != nil {
		return read(f.Store)
	}
	return LookIfThere(f.workspace.Root, read)
}
