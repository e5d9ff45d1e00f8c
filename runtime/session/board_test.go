package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgregory.net/rapid"
)

func TestBoardVisibility(t *testing.T) {
	b := NewBoard(time.Now)
	for _, c := range []struct {
		owner, key string
		readers    []string
	}{{"anna", "plan", nil}, {"anna", "shared", []string{"ben"}}, {"anna", "broadcast.news", nil}, {"ben", "plan", nil}} {
		if err := b.Put(c.owner, c.key, "of "+c.owner, time.Hour, c.readers...); err != nil {
			t.Fatal(err)
		}
	}
	for agent, want := range map[string][]string{
		"anna": {"anna/broadcast.news", "anna/plan", "anna/shared"},
		"ben":  {"anna/broadcast.news", "ben/plan", "anna/shared"},
		"carl": {"anna/broadcast.news"},
		"":     {"anna/broadcast.news"},
	} {
		var got []string
		for _, e := range b.Visible(agent) {
			got = append(got, e.From+"/"+e.Key)
			if e.Value != "of "+e.From {
				t.Errorf("%s reads %q from %s", agent, e.Value, e.From)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sees %v", agent, got)
		}
	}
}

func TestBoardExpiresExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBoard(time.Now)
		if err := b.Put("anna", "broadcast.a", "1", time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		if len(b.Visible("ben")) != 1 {
			t.Error("it is gone before its time")
		}
		time.Sleep(time.Nanosecond)
		if len(b.Visible("anna")) != 0 || len(b.Visible("ben")) != 0 {
			t.Error("it is seen after its time")
		}
	})
}

func TestBoardRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		owner, key, value string
		ttl               time.Duration
		readers           []string
	}{
		"no owner":       {"", "k", "v", 1, nil},
		"no key":         {"a", "", "v", 1, nil},
		"long key":       {"a", strings.Repeat("k", 101), "v", 1, nil},
		"two lines":      {"a", "k\nl", "v", 1, nil},
		"a blank":        {"a", "k l", "v", 1, nil},
		"not UTF-8":      {"a", "k\xff", "v", 1, nil},
		"no value":       {"a", "k", "", 1, nil},
		"long value":     {"a", "k", strings.Repeat("v", 1025), 1, nil},
		"value no UTF-8": {"a", "k", "\xff", 1, nil},
		"no time":        {"a", "k", "v", 0, nil},
		"long time":      {"a", "k", "v", MaxBoardTTL + 1, nil},
		"many readers":   {"a", "k", "v", 1, make([]string, 17)},
		"long reader":    {"a", "k", "v", 1, []string{strings.Repeat("r", 101)}},
	} {
		b := NewBoard(time.Now)
		if err := b.Put(c.owner, c.key, c.value, c.ttl, c.readers...); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if len(b.entries) != 0 || b.bytes != 0 {
			t.Errorf("%s: something was kept", name)
		}
	}
}

func TestBoardIsShared(t *testing.T) {
	b := NewBoard(time.Now)
	fill := func(owner string) (n int) {
		for b.Put(owner, fmt.Sprint("k", n), "v", time.Hour) == nil {
			n++
		}
		return n
	}
	for _, owner := range []string{"a", "b", "c", "d"} {
		if n := fill(owner); n != MaxBoardEntries/4 {
			t.Errorf("%s holds %d", owner, n)
		}
	}
	if err := b.Put("e", "k", "v", time.Hour); !errors.Is(err, ErrBoardFull) {
		t.Errorf("a full board: %v", err)
	}
	if err := b.Put("a", "k0", "another", time.Hour); err != nil {
		t.Errorf("an entry can be replaced: %v", err)
	}
}

// TestBoardModel compares the board with a list of everything ever put on it. No agent
// reads another agent's private key, nothing that has expired is visible, everything else
// is visible, and the bounds hold.
func TestBoardModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		b := NewBoard(func() time.Time { return now })
		type put struct {
			value   string
			expires time.Time
			readers []string
		}
		model := map[place]put{}
		agents := []string{"a", "b", "c"}
		agent := rapid.SampledFrom(agents)
		key := rapid.SampledFrom([]string{"x", "y", "broadcast.x", "broadcast", "Broadcast.x"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				p := place{agent.Draw(t, "owner"), key.Draw(t, "key")}
				v := put{value: strings.Repeat("v", rapid.IntRange(0, 1100).Draw(t, "value")), readers: rapid.SliceOfN(agent, 0, 2).Draw(t, "readers")}
				ttl := time.Duration(rapid.IntRange(-1, 10).Draw(t, "ttl"))
				if err := b.Put(p.owner, p.key, v.value, ttl, v.readers...); err == nil {
					v.expires = now.Add(ttl)
					model[p] = v
				}
			},
			"wait": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "pause"))) },
			"": func(t *rapid.T) {
				for _, a := range agents {
					want := map[place]string{}
					for p, v := range model {
						if now.Before(v.expires) && (p.owner == a || strings.HasPrefix(p.key, "broadcast.") || slices.Contains(v.readers, a)) {
							want[p] = v.value
						}
					}
					got := map[place]string{}
					for _, e := range b.Visible(a) {
						got[place{e.From, e.Key}] = e.Value
					}
					if !maps.Equal(got, want) {
						t.Fatalf("%s sees %v, not %v", a, got, want)
					}
				}
				bytes := 0
				for p, n := range b.entries {
					bytes += len(p.key) + len(n.value)
				}
				if bytes != b.bytes || bytes > MaxBoardBytes || len(b.entries) > MaxBoardEntries {
					t.Fatalf("%d bytes counted as %d", bytes, b.bytes)
				}
			},
		})
	})
}

func TestBoardConcurrently(t *testing.T) {
	b := NewBoard(time.Now)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			me := fmt.Sprint("agent", g)
			for i := range 200 {
				if err := b.Put(me, fmt.Sprint("k", i%20), me, time.Hour); err != nil {
					t.Error(err)
				}
				for _, e := range b.Visible(me) {
					if e.From != me || e.Value != me {
						t.Errorf("%s sees %+v", me, e)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestBoardIsKept(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	b := NewBoard(now)
	for _, err := range []error{
		b.Put("a", "broadcast.x", "1", time.Hour), b.Put("b", "x", "2", time.Minute, "a"), b.Put("a", "private", "3", time.Hour),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := b.Posted()
	other := NewBoard(now)
	other.Restore(kept)
	if diff := cmp.Diff(kept, other.Posted()); diff != "" {
		t.Error(diff)
	}
	at = at.Add(2 * time.Minute)
	later := NewBoard(now)
	later.Restore(append(kept, Posted{Owner: "c", Key: "a key", Value: "x", Expires: at.Add(time.Hour)}))
	if got := later.Posted(); len(got) != 2 || len(later.Visible("b")) != 1 {
		t.Errorf("%+v", got)
	}
}
