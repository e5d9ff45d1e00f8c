package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// toolUse tracks the failures of the authored tools that an agent may call, for as long as
// the agent is open. A failure counts against the agent that wrote the tool.
type toolUse struct {
	agent string
	tools []sharedTool
	// live reports whether a failure takes effect at once. In evaluations, which are
	// compared with each other, a tool keeps the state that it had when the agent was
	// opened.
	live bool

	mu     sync.Mutex
	health map[string]authored.Health // the health that decides whether a tool is quarantined
	failed map[string][]toolFailure   // failures since the agent was opened, by tool
}

// toolFailure is a failure caused by the tool itself.
type toolFailure struct {
	cause   string
	outcome agent.Outcome
}

// toolUse returns the tracker for an agent's tools, after reading the health of the tools.
func (f *AgentFactory) toolUse(ctx context.Context, a *workspace.Agent, defs []authored.Definition, shared []sharedTool) (*toolUse, error) {
	u := &toolUse{agent: a.ID, live: f.Live, health: map[string]authored.Health{}, failed: map[string][]toolFailure{}}
	for _, d := range defs {
		u.tools = append(u.tools, sharedTool{a.ID, d})
	}
	u.tools = append(u.tools, shared...)
	if len(u.tools) == 0 {
		return u, nil
	}
	if f.Frozen != nil {
		maps.Copy(u.health, f.Frozen.Health)
		return u, nil
	}
	return u, f.look(func(store *archive.Archive) error {
		for _, t := range u.tools {
			h, err := store.ToolHealth(ctx, t.owner, t.def.Name)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return err
			}
			u.health[t.def.Name] = h.Health
		}
		return nil
	})
}

// definitions returns the tools that the agent may call.
func (u *toolUse) definitions() []authored.Definition {
	var defs []authored.Definition
	for _, t := range u.tools {
		defs = append(defs, t.def)
	}
	return defs
}

// options returns the callbacks that record a failure of a tool and that report whether a
// tool is in quarantine.
func (u *toolUse) options() authored.Options {
	return authored.Options{Failed: u.fail, Quarantined: func(d authored.Definition) (string, bool) {
		u.mu.Lock()
		defer u.mu.Unlock()
		h := u.health[d.Name]
		cause, _ := h.Cause()
		return cause, h.Quarantined(d.Hash())
	}}
}

func (u *toolUse) quarantined(d authored.Definition) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.health[d.Name].Quarantined(d.Hash())
}

func (u *toolUse) fail(d authored.Definition, cause string, o agent.Outcome) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed[d.Name] = append(u.failed[d.Name], toolFailure{cause, o})
	if u.live {
		u.health[d.Name] = u.health[d.Name].After(d.Hash(), cause, o)
	}
}

// any reports whether a tool has failed since the agent was opened.
func (u *toolUse) any() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.failed) > 0
}

// identity names the tools in quarantine and the tools that other agents share, with their
// sources. An answer given without a quarantined tool, or with a shared one, counts as a
// different answer.
func (u *toolUse) identity() string {
	var names, shared []string
	for _, t := range u.tools {
		if u.quarantined(t.def) {
			names = append(names, t.def.Name)
		}
		if t.owner != u.agent {
			shared = append(shared, t.owner+"/"+t.def.Name+" "+t.def.Hash())
		}
	}
	slices.Sort(names)
	slices.Sort(shared)
	return strings.Join(append(names, shared...), " ")
}

// keep stores the failures since the agent was opened. It adds a ledger entry for each tool
// that the failures put into quarantine.
func (u *toolUse) keep(ctx context.Context, store *archive.Archive, now time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, t := range u.tools {
		d := t.def
		failures := u.failed[d.Name]
		if len(failures) == 0 {
			continue
		}
		stored, err := store.ToolHealth(ctx, t.owner, d.Name)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return err
		}
		h, was := stored.Health, stored.Health.Quarantined(d.Hash())
		for _, f := range failures {
			h = h.After(d.Hash(), f.cause, f.outcome)
		}
		var told *archive.LedgerEntry
		if !was && h.Quarantined(d.Hash()) {
			e, err := NoteOf(h).Entry("tool.quarantine", "evolve", now)
			if err != nil {
				return err
			}
			told = &e
		}
		stored.Agent, stored.Tool, stored.Health, stored.Updated = t.owner, d.Name, h, now
		if err := store.PutToolHealth(ctx, stored, told); err != nil {
			return err
		}
		delete(u.failed, d.Name)
	}
	return nil
}

// QuarantineNote is the data of a ledger entry about a tool that was put into quarantine or
// released from it.
type QuarantineNote struct {
	Source   string        `json:"source"`
	Failures int           `json:"failures"`
	Last     agent.Outcome `json:"last,omitempty"`
	// Cause is the most frequent cause of the failures.
	Cause  string `json:"cause,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// NoteOf returns a note that describes the health of a tool.
func NoteOf(h authored.Health) QuarantineNote {
	cause, _ := h.Cause()
	return QuarantineNote{Source: h.Source, Failures: h.Failures, Last: h.Last, Cause: cause}
}

// Entry returns a ledger entry of the given kind.
func (n QuarantineNote) Entry(kind, actor string, now time.Time) (archive.LedgerEntry, error) {
	e, err := archive.NewLedgerEntry(now, kind, "", n)
	e.Actor = actor
	return e, err
}

// keepHealth stores the changes in the health of the tools. If another run holds the
// archive, only the count of the failures is lost, and a warning is printed.
func (f *AgentFactory) keepHealth(u *toolUse) error {
	if !u.any() || f.Frozen != nil { // a worker has no archive
		return nil
	}
	ctx, store := context.WithoutCancel(f.host.Ctx), f.Store
	if store == nil {
		own, err := f.host.OpenArchive(f.workspace.Root, "evolve")
		var locked *archive.LockedError
		if errors.As(err, &locked) {
			f.host.Log.Warn("tool failures were not counted: " + locked.Error())
			return nil
		}
		if errors.As(err, new(signing.KeyError)) {
			f.host.Log.Warn("tool failures were not counted: " + err.Error())
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

// look reads the archive that a run holds open or, if there is none, opens the existing
// archive to read it.
func (f *AgentFactory) look(read func(*archive.Archive) error) error {
	if f.Store != nil {
		return read(f.Store)
	}
	return LookIfThere(f.workspace.Root, read)
}
