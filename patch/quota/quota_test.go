package quota

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// at returns the time d after noon.
func at(d time.Duration) time.Time { return noon.Add(d) }

func tried(agent string, d time.Duration) Attempt { return Attempt{Agent: agent, Time: at(d)} }

func adopted(d time.Duration) Attempt {
	return Attempt{Agent: "a", Time: at(d - time.Minute), Adopted: at(d)}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		past  []Attempt
		next  time.Time // zero: possible now
		ahead bool
	}{
		{"nothing before", nil, time.Time{}, false},
		{"another agent just now", []Attempt{tried("b", 0)}, time.Time{}, false},
		{"at the same moment", []Attempt{tried("a", 0)}, at(time.Hour), false},
		{"a nanosecond less than an hour ago", []Attempt{tried("a", -time.Hour+1)}, at(1), false},
		{"exactly an hour ago", []Attempt{tried("a", -time.Hour)}, time.Time{}, false},
		{"the latest counts, in any order", []Attempt{tried("a", -time.Minute), tried("a", -3*time.Hour), tried("b", 0)}, at(59 * time.Minute), false},
		{"an attempt that was adopted counts", []Attempt{adopted(-time.Minute)}, at(58 * time.Minute), false},
		{"the clock was set back", []Attempt{tried("a", 30*time.Minute)}, at(90 * time.Minute), true},
		{"the clock was set back for another", []Attempt{tried("b", 30*time.Minute)}, time.Time{}, false},
		{"names are not folded", []Attempt{tried("A", 0)}, time.Time{}, false},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, Check(c.past, "a", noon), c.next, c.ahead, "one patch an hour") })
	}
}

func TestCheckAdoption(t *testing.T) {
	h := time.Hour
	for _, c := range []struct {
		name  string
		past  []Attempt
		next  time.Time
		ahead bool
	}{
		{"nothing before", nil, time.Time{}, false},
		{"many attempts, none adopted", []Attempt{tried("a", 0), tried("b", 0), tried("c", 0), tried("d", 0)}, time.Time{}, false},
		{"two today", []Attempt{adopted(-h), adopted(0)}, time.Time{}, false},
		{"three today", []Attempt{adopted(-h), adopted(-5 * h), adopted(0)}, at(19 * h), false},
		{"across midnight", []Attempt{adopted(-13 * h), adopted(-14 * h), adopted(-15 * h)}, at(9 * h), false},
		{"the oldest exactly a day ago", []Attempt{adopted(-24 * h), adopted(-h), adopted(0)}, time.Time{}, false},
		{"the oldest a nanosecond younger", []Attempt{adopted(-24*h + 1), adopted(-h), adopted(0)}, at(1), false},
		{"four of them", []Attempt{adopted(-4 * h), adopted(-3 * h), adopted(-2 * h), adopted(-h)}, at(21 * h), false},
		{"the clock was set back", []Attempt{adopted(h), adopted(2 * h), adopted(3 * h)}, at(25 * h), true},
		{"attempted long ago, adopted today", []Attempt{{Agent: "a", Time: at(-90 * h), Adopted: noon}, adopted(0), adopted(0)}, at(24 * h), false},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, CheckAdoption(c.past, noon), c.next, c.ahead, "3 patches a day") })
	}
}

func same(t *testing.T, err error, next time.Time, ahead bool, says string) {
	t.Helper()
	var soon *TooSoonError
	if !errors.As(err, &soon) {
		if err != nil || !next.IsZero() {
			t.Fatalf("%v, want possible again at %s", err, next)
		}
		return
	}
	if diff := cmp.Diff(TooSoonError{Limit: soon.Limit, Next: next, Ahead: ahead}, *soon); diff != "" {
		t.Error(diff)
	}
	if text := soon.Error(); !strings.Contains(text, says) || strings.Contains(text, "set back") != ahead {
		t.Errorf("it says %q", text)
	}
}

// TestLimitsHold simulates agents that make an attempt at every opportunity, with a clock
// that jumps forwards and backwards, and counts the entries in the ledger.
func TestLimitsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var past []Attempt
		now := noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(-60, 240).Draw(t, "minutes")) * time.Minute)
			agent := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent")
			err := Check(past, agent, now)
			var soon *TooSoonError
			if errors.As(err, &soon) {
				if Check(past, agent, soon.Next) != nil || Check(past, agent, soon.Next.Add(-1)) == nil {
					t.Fatal("the next moment is not the first that is allowed")
				}
				continue
			}
			a := Attempt{Agent: agent, Time: now}
			if CheckAdoption(past, now) == nil && rapid.Bool().Draw(t, "good") {
				a.Adopted = now
			}
			past = append(past, a)
		}
		for i, a := range past {
			within := 0
			for j, b := range past {
				if i != j && a.Agent == b.Agent && a.Time.Sub(b.Time).Abs() < Pause {
					t.Fatalf("%s tried at %s and %s", a.Agent, a.Time, b.Time)
				}
				if !a.Adopted.IsZero() && !b.Adopted.IsZero() && !b.Adopted.Before(a.Adopted) && b.Adopted.Sub(a.Adopted) < Day {
					within++
				}
			}
			if within > PerDay {
				t.Fatalf("%d adoptions within a day", within)
			}
		}
	})
}
