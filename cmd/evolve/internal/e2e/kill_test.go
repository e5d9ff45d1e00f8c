//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
)

// points returns the number of kills: EVOLVE_TRIALS if set, and a few otherwise.
func points(t *testing.T) int {
	t.Helper()
	text := os.Getenv("EVOLVE_TRIALS")
	if text == "" {
		return 8
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("EVOLVE_TRIALS=%s is no number of kills", text)
	}
	return n
}

// undisturbed is the result of an undisturbed run.
type undisturbed struct {
	outcome     outcome
	run         string
	report      string
	evaluations int
	exposures   int
	entries     int
	proposals   int
}

func (p place) undisturbed() undisturbed {
	p.t.Helper()
	o := decodeOutcome(p.t, p.do(0, p.night()...))
	v := p.mustLook()
	return undisturbed{o, o.Run, p.report(o.Run), len(v.evaluations), v.exposures, v.entries, len(v.proposals)}
}

// TestKills kills runs with signal 9 at random points between their start and the writing
// of the report, some of them several times, and repeats the command until the run ends.
// What a reader saw before a kill must be there afterwards, recorded evaluations must not
// be made again, and the report must equal that of an undisturbed run.
func TestKills(t *testing.T) {
	t.Parallel()
	all := points(t)
	for i, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			want := kind.undisturbed(t)
			random := rand.New(rand.NewPCG(7, uint64(i)))
			share := all*(i+1)/len(kinds) - all*i/len(kinds)
			tally := map[string]int{}
			kills, again := 0, 0
			for n := 0; share > 0; n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					again += batter(t, kind.make(t), want, random, 1+random.IntN(min(3, share)), func(stage string) {
						tally[stage]++
						kills++
						share--
					})
				})
				if t.Failed() {
					return
				}
			}
			// At any time only a few evaluations are in progress or not yet on disk.
			if again > kills*inFlight {
				t.Errorf("%d evaluations were made twice after %d kills", again, kills)
			}
			t.Logf("killed %v; %d evaluations were under way or not yet on disk, and made twice", tally, again)
		})
	}
}

// inFlight limits the number of evaluations that one kill may cost: those in the pool of
// two, and those not yet synced to a busy disk, at 50 ms per sync, for an agent that takes
// less than a millisecond.
const inFlight = 256

// mark records what a reader had seen by the time the agent had received a certain number
// of calls.
type mark struct {
	view
	calls int
	// recorded are the scored evaluations in the notation of the agent's log; nil if the
	// agent writes no log.
	recorded map[string]bool
}

func (p place) mark(v view) mark {
	p.t.Helper()
	m := mark{view: v, calls: len(p.calls())}
	if p.log == "" {
		return m
	}
	m.recorded = map[string]bool{}
	for _, e := range p.configured(v) {
		if e.Scored {
			m.recorded[call(e.Task, e.config, e.Seed)] = true
		}
	}
	return m
}

// batter kills a run up to the given number of times, lets it complete, and checks the
// result. It returns how many evaluations were made twice.
func batter(t *testing.T, p place, want undisturbed, random *rand.Rand, times int, landed func(stage string)) int {
	t.Helper()
	var marks []mark
	ended := false
	for range times {
		before, hit := p.strike(random, want.evaluations)
		if ended = !hit; ended {
			break
		}
		marks = append(marks, before)
		// In half of the cases, the next run must recover the archive itself.
		at := before.view
		if random.IntN(2) == 0 {
			at = p.mustLook()
			marks = append(marks, p.mark(at))
		}
		landed(stage(at))
	}
	if v := p.mustLook(); v.run.State == archive.RunRunning || v.run.ID == "" {
		p.do(0, p.night()...)
	}
	p.intact(marks, want)
	return p.paid(marks)
}

// strike starts the run and kills it at a random time after a reader has seen a random
// number of evaluations. It returns what the reader saw last, and whether the run was still
// in progress.
func (p place) strike(random *rand.Rand, planned int) (mark, bool) {
	p.t.Helper()
	goal := random.IntN(planned + 1)
	window := 30 * time.Millisecond
	switch random.IntN(8) {
	case 0: // while it starts
		goal, window = 0, 150*time.Millisecond
	case 1, 2: // the confirmation
		goal = planned - random.IntN(planned/8)
	case 3, 4: // the proposal and the report
		goal, window = planned, 100*time.Millisecond
	}
	moment := time.Duration(random.Int64N(int64(window)))
	seen := p.mustLook()
	if seen.run.State == archive.RunDone {
		return mark{}, false
	}
	pr := p.start(p.night()...)
	if goal > len(seen.evaluations) && p.holds(pr) {
		pr.until(func() bool {
			if v, err := p.look(); err == nil {
				seen = v
			}
			return len(seen.evaluations) >= goal
		})
	}
	m := p.mark(seen)
	select {
	case <-pr.ended:
	case <-time.After(moment):
	}
	pr.kill()
	return m, pr.wait().code == killed
}

// intact checks that a killed run has everything that readers saw of it, and the same
// report as an undisturbed run.
func (p place) intact(marks []mark, want undisturbed) {
	t := p.t
	t.Helper()
	after := p.mustLook()
	for _, m := range marks {
		if gone := lost(m.view, after); len(gone) > 0 {
			t.Errorf("kills lost %v", gone)
		}
	}
	if after.run.Number != 1 || after.run.State != archive.RunDone || len(after.evaluations) != want.evaluations ||
		after.exposures != want.exposures || after.entries != want.entries || len(after.proposals) != want.proposals {
		t.Errorf("run %d is %s with %d evaluations, %d openings of the holdout, %d entries and %d proposals; undisturbed: %d, %d, %d, %d",
			after.run.Number, after.run.State, len(after.evaluations), after.exposures, after.entries, len(after.proposals),
			want.evaluations, want.exposures, want.entries, want.proposals)
	}
	if diff := cmp.Diff(want.report, p.report(want.run)); diff != "" {
		t.Errorf("another report than undisturbed:\n%s", diff)
	}
	p.do(0, "archive", "check", "--workspace", p.root)
	p.do(0, "audit", "verify", "--workspace", p.root)
	p.nothingLeft()
	if left, err := filepath.Glob(filepath.Join(p.root, ".evolve", "work", "*")); err != nil || len(left) > 0 {
		t.Errorf("working directories are left: %v, %v", left, err)
	}
}

// paid checks that no recorded evaluation was made again, and returns how many other
// evaluations were.
func (p place) paid(marks []mark) (again int) {
	calls := p.calls()
	for _, m := range marks {
		for _, id := range calls[m.calls:] {
			if m.recorded[id] {
				p.t.Errorf("%s was recorded, and is paid for again", id)
			}
		}
	}
	distinct := map[string]bool{}
	for _, id := range calls {
		if distinct[id] {
			again++
		}
		distinct[id] = true
	}
	return again
}

// stage returns the stage of a run according to what it has recorded.
func stage(v view) string {
	switch {
	case v.run.ID == "":
		return "opening"
	case v.run.State != archive.RunRunning:
		return "reporting"
	case len(v.proposals) > 0:
		return "proposing"
	case v.exposures > 0:
		return "confirming"
	case len(v.evaluations) > 0:
		return "searching"
	}
	return "starting"
}
