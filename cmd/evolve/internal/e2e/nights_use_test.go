//go:build unix

package e2e

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"evolve/archive"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// asNumber parses a number in the form in which reports write it.
func asNumber(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// open reads the archive.
func (s *tale) open(use func(*archive.Archive) error) {
	s.t.Helper()
	a, err := archive.OpenRead(filepath.Join(s.root, ".evolve", "archive"))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := use(a); err != nil {
		s.t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// leastTemperature is sent instead of 0, which would be left out of a request.
const leastTemperature = 1e-6

// temperatures returns the temperatures in the requests of the variants that a report
// names. The report itself has only the ids of the variants.
func (s *tale) temperatures(r nightly) map[string]float64 {
	s.t.Helper()
	out := map[string]float64{}
	for _, f := range r.Agents[0].Finalists {
		out[f.Variant.ID] = 0
	}
	for _, v := range r.Agents[0].Rejected {
		out[v.Variant.ID] = 0
	}
	s.open(func(a *archive.Archive) error {
		for id := range out {
			v, err := a.Variant(s.t.Context(), "clerk", agent.ConfigID(id))
			if err != nil {
				return err
			}
			switch t := v.Config["temperature.stock"].(type) {
			case float64:
				out[id] = max(leastTemperature, t)
			case int64:
				out[id] = max(leastTemperature, float64(t))
			default:
				s.t.Errorf("%s has the temperature %v", id, t)
			}
		}
		return nil
	})
	return out
}

// learned compares the lessons that a night made from the turns since the previous night
// with what users wrote in those turns and with the tool calls.
func (s *tale) learned() {
	s.t.Helper()
	now := reviewed{s.turns, s.thanks, s.corrections, len(s.live)}
	was := s.reviewed
	if now.turns == was.turns {
		return // the lessons stay
	}
	s.reviewed = now
	type counted struct{ Count int }
	got := ask[struct {
		Night struct {
			Turns, Succeeded    int
			Corrected, Approved counted
			Domains             []struct {
				Domain    string
				Turns     counted
				Succeeded int
			}
			Tools []struct {
				Tool                        string
				Calls                       counted
				Judged, Succeeded, Measured int
			}
			Patterns []struct{ Corrected counted }
		}
	}](s.place, "agent", "lessons", "clerk").Night
	turns, thanks, corrections := now.turns-was.turns, now.thanks-was.thanks, now.corrections-was.corrections
	s.count("the turns of the lessons", got.Turns, turns)
	s.count("the turns with success of the lessons", got.Succeeded, turns-corrections)
	s.count("the approvals of the lessons", got.Approved.Count, thanks)
	s.count("the corrections of the lessons", got.Corrected.Count, corrections)
	patterns := 0
	for _, p := range got.Patterns {
		patterns += p.Corrected.Count
	}
	s.count("the corrections in patterns of the lessons", patterns, corrections)
	for _, d := range got.Domains {
		all, ok := thanks+corrections, thanks+corrections // the messages after each answer
		if d.Domain == "stock" {
			ok = thanks
		}
		s.count("the turns of the lessons in "+d.Domain, d.Turns.Count, all)
		s.count("the turns with success of the lessons in "+d.Domain, d.Succeeded, ok)
	}
	s.count("the domains of the lessons", len(got.Domains), 2)
	live := map[string][2]int{}
	for _, c := range s.live[was.calls:] {
		n := live["desk__"+c.tool]
		n[0]++
		if c.ok && !c.corrected {
			n[1]++
		}
		live["desk__"+c.tool] = n
	}
	for _, tool := range got.Tools {
		want := live[tool.Tool]
		s.count("the calls in the lessons of "+tool.Tool, tool.Calls.Count, want[0])
		s.count("the judged calls in the lessons of "+tool.Tool, tool.Judged, want[0])
		s.count("the calls with success in the lessons of "+tool.Tool, tool.Succeeded, want[1])
		s.count("the latencies in the lessons of "+tool.Tool, tool.Measured, want[0])
	}
	s.count("the tools of the lessons", len(got.Tools), len(live))
}

// reviewed holds the counts before a night.
type reviewed struct{ turns, thanks, corrections, calls int }

// used compares what `tools health` shows with the calls in live turns: the counts, the
// rate and the usefulness of each capsule, which must follow the formula.
func (s *tale) used() {
	s.t.Helper()
	got := ask[struct {
		Turns int
		Tools []struct {
			toolUse
			Capsules []struct {
				Domain           string
				Calls, Corrected int
				Outcomes         map[string]int
				Latencies        []time.Duration
				Failures         []struct{ Outcome string }
				Rate, Usefulness float64
			}
		}
	}](s.place, "tools", "health", "clerk")
	s.count("the turns of tools health", got.Turns, s.turns)
	for _, tool := range got.Tools {
		s.toolCounts("in tools health", tool.toolUse)
		s.count("the capsules of "+tool.Tool, len(tool.Capsules), 2)
		for _, c := range tool.Capsules { // one for the domain and one for all domains; all calls are in one domain
			calls, ok, corrected := 0, 0, 0
			for _, x := range s.live {
				if "desk__"+x.tool == tool.Tool {
					calls++
					if x.ok {
						ok++
					}
					if x.corrected {
						corrected++
					}
				}
			}
			where := " in the capsule of " + tool.Tool + " in " + c.Domain
			s.count("the calls"+where, c.Calls, calls)
			s.count("the calls with success"+where, c.Outcomes["ok"], ok)
			s.count("the failed calls"+where, c.Outcomes["execution"], calls-ok)
			s.count("the last failures"+where, len(c.Failures), min(10, calls-ok))
			s.count("the corrected calls"+where, c.Corrected, corrected)
			s.count("the latencies"+where, len(c.Latencies), min(100, calls))
			rate, sure := float64(ok-corrected)/float64(calls), math.Min(1, float64(calls)/10)
			s.same("the rate"+where, c.Rate, rate)
			s.same("the usefulness"+where, c.Usefulness, (rate*.7+.5*.3)*sure+.5*(1-sure))
		}
	}
}

// conduct compares the figures on which more autonomy depends with the turns that were
// run.
func (s *tale) conduct() {
	s.t.Helper()
	type figures struct{ Sessions, Successful, Turns, Errors, Stated, Unsafe, Chained, Crossed, Decided, Granted int }
	got := ask[struct{ Agents []struct{ Figures figures } }](s.place, "autonomy", "status", "clerk").Agents[0].Figures
	want := figures{Sessions: s.item, Successful: s.thanks, Turns: s.turns, Errors: s.corrections}
	if got != want {
		s.t.Errorf("the figures for more autonomy are %+v, the world has %+v", got, want)
	}
	stats := ask[struct {
		Agents []struct {
			Feedback, Active int
			Stored           struct{ Turns, Calls int }
		}
	}](s.place, "feedback", "stats", "clerk").Agents[0]
	s.count("the feedback in force", stats.Active, 0)
	s.count("the turns that feedback can reach", stats.Stored.Turns, s.turns)
	s.count("the calls that feedback can reach", stats.Stored.Calls, len(s.live))
	memories := ask[struct {
		Memories, Retracted, Gaps []any
		Turns                     int
	}](s.place, "memory", "audit", "clerk")
	s.count("the turns of the audit of memories", memories.Turns, s.turns)
	s.count("the memories", len(memories.Memories)+len(memories.Retracted)+len(memories.Gaps), 0)
}

// competent checks that the agent's learnt competence starts at .5, gains .02 with each
// turn, loses .05 with each correction, and stays within .2 of its value at the start of
// a day. The value is not checked if the story runs past midnight.
func (s *tale) competent(started time.Time) {
	s.t.Helper()
	var e experience.Experience
	s.open(func(a *archive.Archive) (err error) {
		e, err = a.Experience(s.t.Context(), "clerk")
		return err
	})
	domains := map[string]experience.Competence{}
	for _, c := range e.Domains {
		domains[c.Domain] = c
	}
	if got := slices.Sorted(maps.Keys(domains)); !slices.Equal(got, []string{"stock"}) {
		s.t.Fatalf("the agent has a competence in %v", got)
	}
	stock := domains["stock"] // thanks and corrections do not show competence by themselves
	s.count("the turns in stock", stock.Turns, s.item)
	s.count("the turns with success in stock", stock.Successes, s.thanks)
	s.count("the corrections in stock", stock.Corrected, s.corrections)
	if started.UTC().Format(time.DateOnly) != time.Now().UTC().Format(time.DateOnly) {
		return
	}
	move := func(score, by float64) float64 { return min(max(score+by, .3), .7) }
	score := .5
	for _, right := range s.answers {
		if score = move(score, .02); !right {
			score = move(score, -.05)
		}
	}
	s.same("the competence in stock", stock.Score, score)
}
