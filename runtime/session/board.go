package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Limits of a [Board], in entries, bytes and time. One agent holds at most a quarter of the
// entries, so no agent can crowd out the others.
const (
	MaxBoardEntries = 256
	MaxBoardBytes   = 64 << 10 // keys and values together
	MaxBoardKey     = 100
	MaxBoardValue   = 1 << 10
	MaxBoardReaders = 16
	MaxBoardTTL     = 24 * time.Hour

	boardShare = 4
)

// Broadcast is the prefix of keys whose entries are visible to all agents.
const Broadcast = "broadcast."

// ErrBoardFull means that the board, or the owner's share of it, has no room until some
// entries expire.
var ErrBoardFull = errors.New("the blackboard is full")

// Board is a blackboard: key-value state that agents share for a while. An entry belongs to
// the agent that put it, and only that agent can replace it, so two agents may use the same
// key. The entry is visible to its owner, to its readers and, if its key begins with
// [Broadcast], to all agents. It expires exactly when its time to live has passed. A Board
// is safe for concurrent use, holds everything in memory and starts no goroutine.
type Board struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[place]*note
	bytes   int
}

// Entry is an entry as an agent sees it. Its text may come from another agent, so it must
// be treated as data, not as instructions.
type Entry struct {
	From, Key, Value string
	Expires          time.Time
}

type place struct{ owner, key string }

type note struct {
	value   string
	expires time.Time
	readers []string
}

// NewBoard returns an empty board that uses the given clock.
func NewBoard(now func() time.Time) *Board {
	return &Board{now: now, entries: map[place]*note{}}
}

// Put stores the owner's entry with the given key, replacing an earlier one, and makes it
// visible to the readers as well as the owner. The time to live must be in (0,
// [MaxBoardTTL]]. Put fails and changes nothing if the key or the value is empty, too long
// or not UTF-8, if the key contains white space or control characters, or if there are too
// many readers. If there is no room, the error is [ErrBoardFull].
func (b *Board) Put(owner, key, value string, ttl time.Duration, readers ...string) error {
	switch {
	case owner == "" || len(owner) > MaxBoardKey:
		return fmt.Errorf("an agent's name must have 1 to %d bytes", MaxBoardKey)
	case key == "" || len(key) > MaxBoardKey:
		return fmt.Errorf("a key must have 1 to %d bytes", MaxBoardKey)
	case !utf8.ValidString(key) || strings.Contains(key, " ") || clean(key) != key:
		return errors.New("a key must not contain white space or control characters")
	case value == "" || len(value) > MaxBoardValue:
		return fmt.Errorf("a value must have 1 to %d bytes", MaxBoardValue)
	case !utf8.ValidString(value):
		return errors.New("a value must be UTF-8")
	case ttl <= 0 || ttl > MaxBoardTTL:
		return fmt.Errorf("a time to live must be above 0 and at most %v", MaxBoardTTL)
	case len(readers) > MaxBoardReaders || slices.ContainsFunc(readers, func(r string) bool { return len(r) > MaxBoardKey }):
		return fmt.Errorf("an entry can have at most %d readers, with names of at most %d bytes", MaxBoardReaders, MaxBoardKey)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.now()
	b.purge(at)
	p := place{owner, key}
	fresh, size := 1, len(key)+len(value)
	if old, ok := b.entries[p]; ok {
		fresh, size = 0, len(value)-len(old.value)
	}
	entries, bytes := b.held(owner)
	if len(b.entries)+fresh > MaxBoardEntries || b.bytes+size > MaxBoardBytes ||
		entries+fresh > MaxBoardEntries/boardShare || bytes+size > MaxBoardBytes/boardShare {
		return ErrBoardFull
	}
	b.bytes += size
	b.entries[p] = &note{value: value, expires: at.Add(ttl), readers: slices.Clone(readers)}
	return nil
}

// Visible returns the entries that an agent may see, sorted by key and then by owner.
func (b *Board) Visible(agent string) []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.now()
	var out []Entry
	for p, n := range b.entries {
		if n.visible(agent, p, at) {
			out = append(out, Entry{From: p.owner, Key: p.key, Value: n.value, Expires: n.expires})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.From, b.From))
	})
	return out
}

func (n *note) visible(agent string, p place, at time.Time) bool {
	return at.Before(n.expires) &&
		(p.owner == agent || strings.HasPrefix(p.key, Broadcast) || slices.Contains(n.readers, agent))
}

// purge removes expired entries.
func (b *Board) purge(at time.Time) {
	for p, n := range b.entries {
		if !at.Before(n.expires) {
			delete(b.entries, p)
			b.bytes -= len(p.key) + len(n.value)
		}
	}
}

func (b *Board) held(owner string) (entries, bytes int) {
	for p, n := range b.entries {
		if p.owner == owner {
			entries++
			bytes += len(p.key) + len(n.value)
		}
	}
	return entries, bytes
}

// Posted is the stored form of an entry.
type Posted struct {
	Owner   string    `json:"owner"`
	Key     string    `json:"key"`
	Value   string    `json:"value"`
	Expires time.Time `json:"expires"`
	Readers []string  `json:"readers,omitempty"`
}

// Posted returns all entries, including private ones, sorted by key and then by owner.
func (b *Board) Posted() []Posted {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purge(b.now())
	out := make([]Posted, 0, len(b.entries))
	for p, n := range b.entries {
		out = append(out, Posted{p.owner, p.key, n.value, n.expires, slices.Clone(n.readers)})
	}
	slices.SortFunc(out, func(a, b Posted) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Owner, b.Owner))
	})
	return out
}

// Restore puts stored entries on the board. It skips those that have expired or that
// [Board.Put] refuses.
func (b *Board) Restore(kept []Posted) {
	for _, p := range kept {
		if ttl := p.Expires.Sub(b.now()); ttl > 0 {
			_ = b.Put(p.Owner, p.Key, p.Value, min(ttl, MaxBoardTTL), p.Readers...)
		}
	}
}
