package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

func night(n int) string { return fmt.Sprintf("%d-n", n) }

// manyNights records nights of one agent. Each night has 20 evaluations of the search, two
// of which are found in the cache of the night before, and 6 of the confirmation. Each
// evaluation has a transcript.
func manyNights(tb testing.TB, a *Archive, nights int) {
	tb.Helper()
	ctx := context.Background()
	for n := 1; n <= nights; n++ {
		run := night(n)
		errs := []error{a.PutRun(ctx, Run{ID: run, Number: n, State: RunDone, Started: day.AddDate(0, 0, n), Agents: []string{"solver"}})}
		for seq := range int64(26) {
			e := evaluation(run, seq)
			e.Key = bench.Key(fmt.Sprintf("%064x", int64(n)*1000+seq))
			if seq < 2 && n > 1 {
				e.Key, e.Cached = bench.Key(fmt.Sprintf("%064x", int64(n-1)*1000+seq+10)), true
			}
			if seq >= 20 {
				e.Split, e.Stage, e.Variant = bench.Holdout, bench.StageConfirm, agent.ConfigID("v"+fmt.Sprint(n))
				e.Seq += bench.ConfirmSeq
			}
			e.Transcript = transcript(fmt.Sprint("step ", n, seq))
			errs = append(errs, a.Record(ctx, e, nil))
		}
		errs = append(errs, a.Flush(ctx))
		if err := errors.Join(errs...); err != nil {
			tb.Fatal(err)
		}
	}
}

// propose stores a proposal for a night's finalist.
func propose(t *testing.T, a *Archive, n int, state ProposalState, decided time.Time) {
	t.Helper()
	ctx := context.Background()
	v := agent.ConfigID("v" + fmt.Sprint(n))
	must(a.NewProposal(ctx, ProposalRecord{
		Kind: KindConfig, State: state, Agent: "solver", Run: night(n), Variant: v, Champion: "aa",
		Created: decided.AddDate(0, 0, -1), Decision: &DecisionBrief{Time: decided}, Rests: &Rests{Runs: []string{night(n), night(n + 15)}, Against: "aa"},
	}))(t)
	if err := a.PutResult(ctx, AgentResult{Run: night(n), Agent: "solver", Finalist: []Finalist{{Variant: v, Runs: []string{night(n - 1), night(n)}}}}); err != nil {
		t.Fatal(err)
	}
}

// of returns the numbers of a night's search evaluations and confirmation evaluations,
// and the number of all these evaluations that have a transcript.
func of(t *testing.T, a *Archive, n int) (search, confirm, texts int) {
	t.Helper()
	ctx := context.Background()
	for e, err := range a.Evaluations(ctx, night(n), "solver") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Stage == bench.StageConfirm {
			confirm++
		} else {
			search++
		}
		if _, err := a.Transcript(ctx, e.Key); err == nil {
			texts++
		} else if !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
	}
	return search, confirm, texts
}

// TestGC checks that old records are removed, and that records on which anything rests
// stay.
func TestGC(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	manyNights(t, a, 45)
	now := day.AddDate(0, 0, 200)
	propose(t, a, 5, Adopted, day)
	propose(t, a, 7, RolledBack, day)
	propose(t, a, 9, Rejected, now.AddDate(0, 0, -89))
	propose(t, a, 11, Rejected, now.AddDate(0, 0, -91))
	propose(t, a, 13, Superseded, day)
	open := entrant("v3", night(3))
	must(a.EnterCandidate(ctx, open))(t)
	ended := must(a.EnterCandidate(ctx, entrant("v2", night(1))))(t)
	ended.State = stats.Harmful
	if err := a.PutCandidate(ctx, ended, day); err != nil {
		t.Fatal(err)
	}
	view := func(a *Archive) []bench.Evaluation {
		var tasks []string
		for i := range 100 {
			tasks = append(tasks, fmt.Sprintf("task-%03d", i))
		}
		var out []bench.Evaluation
		runs := map[string]bool{}
		for e, err := range a.SearchView("solver", tasks).Evaluations(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if runs[e.Run] = true; len(runs) > learningNights {
				break
			}
			out = append(out, e)
		}
		return out
	}
	learnt := view(a)
	before := must(a.Stats(ctx))(t)
	head, _, err := a.LedgerHead(ctx)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}

	keep := Retention{Nights: 10}
	opts := GCOptions{Options: Options{Now: func() time.Time { return now }}}
	r := readAt(t, dir)
	dry := must(r.Removable(ctx, keep, now))(t)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	gone := must(GC(ctx, dir, keep, opts))(t)
	r = readAt(t, dir)
	closing(t, r)
	if err := r.Check(ctx); err != nil {
		t.Error(err)
	}
	after := must(r.Stats(ctx))(t)
	if gone.Evaluations != before.Evaluations-after.Evaluations || gone.Transcripts != before.Transcripts-after.Transcripts || gone.Evaluations < 200 {
		t.Errorf("gone are %d and %d; before %+v, after %+v", gone.Evaluations, gone.Transcripts, before, after)
	}
	dry.After, dry.Before = gone.After, gone.Before
	if diff := cmp.Diff(dry, gone); diff != "" {
		t.Errorf("it was to be: %s", diff)
	}
	before.Evaluations, before.Distinct, before.Transcripts, before.Bytes = after.Evaluations, after.Distinct, after.Transcripts, after.Bytes
	before.Ledger++
	if before != after {
		t.Errorf("other records went: %+v, %+v", before, after)
	}
	if diff := cmp.Diff(learnt, view(r)); diff != "" {
		t.Errorf("what nights learn from changed: %s", diff)
	}
	for _, c := range []struct {
		night                  int
		search, confirm, texts int
	}{
		{1, 0, 0, 0},    // its candidate was harmful
		{3, 0, 6, 6},    // its candidate is open
		{4, 0, 6, 6},    // earlier evidence for the adopted variant
		{5, 0, 6, 6},    // adopted
		{7, 0, 6, 6},    // rolled back
		{9, 0, 6, 6},    // rejected not long ago
		{11, 0, 0, 0},   // rejected long ago
		{13, 0, 0, 0},   // superseded long ago
		{15, 2, 0, 0},   // the next night refers to two of its evaluations
		{16, 20, 6, 0},  // nights learn from it
		{20, 20, 6, 6},  // named by the adopted proposal
		{35, 20, 6, 2},  // the next night refers to two of its evaluations
		{36, 20, 6, 26}, // among the last ten
		{45, 20, 6, 26},
	} {
		if s, n, x := of(t, r, c.night); s != c.search || n != c.confirm || x != c.texts {
			t.Errorf("night %d has %d, %d and %d, not %+v", c.night, s, n, x, c)
		}
		if sum := must(r.Tally(ctx, night(c.night), "solver"))(t); sum.Evaluations != c.search+c.confirm {
			t.Errorf("the tally of night %d is %+v", c.night, sum)
		}
	}
	old := must(r.Run(ctx, night(1)))(t)
	if old.Removed == nil || old.Removed.Evaluations != 26 || old.Removed.Transcripts != 24 || !old.Removed.Time.Equal(now) {
		t.Errorf("the run has %+v", old.Removed)
	}
	entries := collect(t, r.Ledger(ctx, head+1))
	if len(entries) != 1 || entries[0].Kind != LedgerGC {
		t.Errorf("the ledger has %+v", entries)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if again := must(GC(ctx, dir, keep, opts))(t); len(again.Nights) != 0 || again.After != 0 {
		t.Errorf("a second one removed %+v", again)
	}
	w := openAt(t, dir)
	closing(t, w)
	if _, _, err := w.VerifyLedger(ctx); err != nil {
		t.Error(err)
	}
	must(w.Append(ctx, LedgerEntry{Time: day, Kind: "run.start"}))(t)
}

// TestGCBySize checks that the oldest transcripts are removed first, and evaluations only
// if that is not enough.
func TestGCBySize(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	manyNights(t, a, 40)
	all := must(a.selects(ctx, Retention{}, day, nil))(t)
	if gone := must(a.Removable(ctx, Retention{Bytes: all.live*13/10 + 26}, day))(t); len(gone.Nights) != 0 || gone.Over {
		t.Errorf("within its size: %+v", gone)
	}
	some := must(a.Removable(ctx, Retention{Bytes: (all.live - 1000) * 13 / 10}, day))(t)
	if some.Evaluations != 0 || some.Transcripts == 0 || some.Nights[0].Run != night(1) || len(some.Nights) > 3 || some.Over {
		t.Errorf("a little over its size: %+v", some)
	}
	most := must(a.Removable(ctx, Retention{Bytes: 1}, day))(t)
	texts := most.Nights[len(most.Nights)-1]
	if most.Evaluations < 9*24 || most.Evaluations > 10*26 || texts.Run != night(39) || !most.Over {
		t.Errorf("far over its size: %+v", most)
	}
	if must(a.Removable(ctx, Retention{}, day))(t).Transcripts != 0 {
		t.Error("without a retention something goes")
	}
}

// TestGCGivesBack checks that the disk space of removed records is freed.
func TestGCGivesBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	for n := 1; n <= 4; n++ {
		if err := a.PutRun(ctx, Run{ID: night(n), Number: n, State: RunDone}); err != nil {
			t.Fatal(err)
		}
		for seq := range int64(1500) {
			e := nightly(night(n), int64(n)*10_000+seq)
			e.Seq, e.Transcript = seq, transcript(fmt.Sprint(mix(seq), mix(seq+1), mix(seq+2), mix(seq+3)))
			if err := a.Record(ctx, e, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	gone := must(GC(ctx, dir, Retention{Nights: 1}, GCOptions{}))(t)
	t.Logf("%d transcripts, %d evaluations, %d bytes of records; on disk %d, then %d", gone.Transcripts, gone.Evaluations, gone.Records, gone.Before, gone.After)
	if gone.Transcripts != 4500 || gone.Before-gone.After < gone.Records*8/10 {
		t.Errorf("of %d bytes of records, %d were given back", gone.Records, gone.Before-gone.After)
	}
	if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() == gcName }) {
		t.Errorf("left are %v %v", left, err)
	}
}

// TestKilledGC checks that a GC killed at any point leaves either the old archive or the
// new one, and that the next GC removes the leftovers.
func TestKilledGC(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, point := range []string{"copying", "copied", "closed", "exchanged"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "archive")
			a := openAt(t, dir)
			manyNights(t, a, 45)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			kill(t, "gc", dir, point)
			r := readAt(t, dir)
			if err := r.Check(ctx); err != nil {
				t.Error(err)
			}
			done := collect(t, r.Ledger(ctx, 0))
			if (len(done) == 1) != (point == "exchanged") {
				t.Errorf("the ledger has %d entries", len(done))
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			must(GC(ctx, dir, Retention{Nights: 2}, GCOptions{Options: Options{Now: func() time.Time { return day }}}))(t)
			r = readAt(t, dir)
			closing(t, r)
			if err := r.Check(ctx); err != nil {
				t.Error(err)
			}
			if s, n, _ := of(t, r, 1); s+n != 0 {
				t.Errorf("night 1 still has %d", s+n)
			}
			if left, err := os.ReadDir(dir); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() == gcName }) {
				t.Errorf("left are %v %v", left, err)
			}
		})
	}
}

// TestGCOfQuestions checks that the questions of suites are removed with the transcripts
// of the last night that asked them, and that the questions stay if an adopted proposal
// rests on that night.
func TestGCOfQuestions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	manyNights(t, a, 5)
	suites := []string{"", "first", "adopted", "first", "both", "both"} // by night
	for n := 1; n <= 5; n++ {
		err := errors.Join(a.PutPlan(ctx, AgentPlan{Run: night(n), Agent: "solver", SuiteHash: suites[n]}),
			a.PutQuestions(ctx, []Question{{SuiteHash: suites[n], Task: "t1", Goal: "?"}, {SuiteHash: suites[n], Task: "t2", Goal: "?"}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.NewProposal(ctx, ProposalRecord{Kind: KindConfig, State: Adopted, Agent: "solver", Run: night(2), Variant: "v2", Champion: "aa", Created: day}))(t)
	if gone := must(a.Removable(ctx, Retention{}, day))(t); gone.Any() {
		t.Errorf("without a retention: %+v", gone)
	}
	if gone := must(a.Removable(ctx, Retention{Nights: 3}, day))(t); gone.Questions != 0 {
		t.Errorf("%d questions go, and night 3 asks them", gone.Questions)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if gone := must(GC(ctx, dir, Retention{Nights: 1}, GCOptions{}))(t); gone.Questions != 2 {
		t.Errorf("%d questions went", gone.Questions)
	}
	r := readAt(t, dir)
	closing(t, r)
	for suite, stays := range map[string]bool{"first": false, "adopted": true, "both": true} {
		if _, err := r.Question(ctx, suite, "t2"); (err == nil) != stays || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("the question of %s: %v", suite, err)
		}
	}
}

// TestGCOfTurns checks that turns from before the oldest retained night lose their
// transcripts and nothing else, that a limit in bytes removes the oldest transcripts, and
// that nothing is removed twice.
func TestGCOfTurns(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(t, dir)
	manyNights(t, a, 4)
	long := transcript(strings.Repeat("a step of the turn ", 100))
	for n := 1; n <= 4; n++ { // turn n is an hour after the start of night n
		turn := TurnRecord{Agent: "solver", Session: "s", Goal: fmt.Sprint("goal ", n), Answer: "yes", Outcome: agent.OK, Created: day.AddDate(0, 0, n).Add(time.Hour), Transcript: *long}
		must(a.PutTurn(ctx, turn, &agent.Session{Working: "w"}, nil))(t)
	}
	if gone := must(a.Removable(ctx, Retention{Bytes: 1}, day.AddDate(0, 0, 5)))(t); gone.Turns != 4 {
		t.Errorf("a size of nothing leaves %d of 4 transcripts", 4-gone.Turns)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	keep := Retention{Nights: 3}
	gone := must(GC(ctx, dir, keep, GCOptions{}))(t)
	if gone.Turns != 1 {
		t.Errorf("%d turns lost their transcripts, not the one before night 2", gone.Turns)
	}
	a = openAt(t, dir)
	closing(t, a)
	for n := 1; n <= 4; n++ {
		turn := must(a.Turn(ctx, fmt.Sprint("T", n)))(t)
		bare := len(turn.Transcript.Events) == 0 && turn.Transcript.Dropped == 1
		if turn.Goal != fmt.Sprint("goal ", n) || turn.Answer != "yes" || bare != (n == 1) {
			t.Errorf("turn %d is %+v", n, turn)
		}
	}
	must(a.Session(ctx, "solver", "s"))(t)
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
	if again := must(a.Removable(ctx, keep, day.AddDate(0, 0, 5)))(t); again.Any() {
		t.Errorf("what is gone would be removed again: %+v", again)
	}
}
