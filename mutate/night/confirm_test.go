package night

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

func TestEvidenceAddsUpOverNights(t *testing.T) {
	m := newMonths(t, 80, 2)
	m.Archive = diskArchive(t)
	better := m.variant(agent.Config{"chance": .75})
	var runs []string
	var last archive.AgentResult
	for night := 1; night <= 12 && last.Verdict != archive.Adopt; night++ {
		last = m.night(m.found(.2, better))
		runs = append(runs, last.Run)
		r := last.Finalist[0].Ruling
		if r.Blocks != 2*night && last.Verdict != archive.Adopt || last.Blocks > 2 || r.Tasks != 40 {
			t.Fatalf("night %d: %d blocks in all, %d tonight, %d tasks", night, r.Blocks, last.Blocks, r.Tasks)
		}
		if diff := cmp.Diff(runs, last.Finalist[0].Runs); diff != "" {
			t.Errorf("night %d rests on other runs:\n%s", night, diff)
		}
		if last.Verdict != archive.Adopt && (last.Verdict != archive.Undecided || len(last.Proposals) > 0) {
			t.Errorf("night %d: %s, %v", night, last.Verdict, last.Proposals)
		}
	}
	if last.Verdict != archive.Adopt || len(runs) < 2 || last.Winner != better.ID() || len(last.Proposals) != 1 || !last.Finalist[0].Accepted {
		t.Fatalf("after %d nights: %s (%s), proposals %v", len(runs), last.Verdict, last.Reason, last.Proposals)
	}
	if last.Finalist[0].Ruling.Claim != stats.NewTasks {
		t.Errorf("proposed on the claim %q", last.Finalist[0].Ruling.Claim)
	}
	entries := m.entries()
	if len(entries) != 1 || entries[0].State != stats.Proven || entries[0].Blocks != last.Finalist[0].Ruling.Blocks {
		t.Errorf("entries: %+v", entries)
	}
	if diff := cmp.Diff([]string{"confirm.enter", "confirm.end"}, m.kinds()); diff != "" {
		t.Error(diff)
	}
	if want := (archive.EntryLedger{Days: 30, Most: 12, Used: 1, Level: .05, Alpha: .05 / 12}); *last.Entries != want {
		t.Errorf("the month's entries are %+v", *last.Entries)
	}
	// No repeat of a holdout task counts twice, and none comes from the cache.
	seen := map[string]bool{}
	for _, run := range runs {
		for _, e := range listed(t, m.Archive.Evaluations(t.Context(), run, "toy")) {
			place := fmt.Sprint(e.Variant, e.Task, e.Repeat)
			if seen[place] || e.Cached || e.Split != bench.Holdout {
				t.Fatalf("%s: seen before %v, from the cache %v, of the side %s", place, seen[place], e.Cached, e.Split)
			}
			seen[place] = true
		}
	}
	// A variant that is proven and not adopted does not enter again.
	if again := m.night(m.found(.2, better)); again.Verdict != archive.Keep || again.Blocks != 0 || len(m.entries()) != 1 ||
		!strings.Contains(again.Reason, "was already judged in run "+runs[len(runs)-1]) {
		t.Errorf("the night after: %s (%s), %d blocks", again.Verdict, again.Reason, again.Blocks)
	}
}

func TestABigEffectStopsEarly(t *testing.T) {
	m := newMonths(t, 80, 40)
	r := m.night(m.found(.4, m.variant(agent.Config{"chance": .95})))
	if r.Verdict != archive.Adopt || r.Blocks > 8 || r.Blocks < 2 {
		t.Errorf("%s after %d of 40 blocks: %s", r.Verdict, r.Blocks, r.Reason)
	}
}

// TestAConfirmedVariantWhoseProposalIsRefused checks that the result names no proposal for
// such a variant, and that the archive stays sound.
func TestAConfirmedVariantWhoseProposalIsRefused(t *testing.T) {
	m := newMonths(t, 80, 40)
	m.Refuse = true
	r := m.night(m.found(.4, m.variant(agent.Config{"chance": .95})))
	if r.Verdict != archive.Adopt || len(r.Proposals) != 0 {
		t.Errorf("%s with the proposals %q", r.Verdict, r.Proposals)
	}
	if err := m.Archive.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWhatAGateRefusesIsNotRecommended checks that if a gate refuses a variant, the next
// confirmed variant is proposed instead, and that if no other variant is confirmed, the
// verdict is that the gates refused the first variant. The archive agrees in both cases.
func TestWhatAGateRefusesIsNotRecommended(t *testing.T) {
	for _, refused := range []int{1, 2} {
		m := newMonths(t, 80, 40)
		var drafts []agent.ConfigID
		m.Gates = func(d Draft) Proposed {
			drafts = append(drafts, d.Variant.ID)
			out := Proposed{ID: fmt.Sprintf("P%d", len(drafts))}
			if len(drafts) <= refused {
				out.Refused = &stats.Refusal{Variant: string(d.Variant.ID), Proposal: out.ID, Gate: "program", Reason: "it is worse"}
			}
			return out
		}
		r := m.night(m.found(.4, m.variant(agent.Config{"chance": .95}), m.variant(agent.Config{"chance": .95, "n": int64(5)})))
		if len(drafts) != 2 || drafts[0] == drafts[1] || len(r.Refused) != refused || len(r.Proposals) != 2 {
			t.Fatalf("drafts of %v, refused %+v, proposals %v: %s", drafts, r.Refused, r.Proposals, r.Reason)
		}
		switch {
		case refused == 1 && (r.Verdict != archive.Adopt || r.Winner != drafts[1]):
			t.Errorf("%s of %s: %s", r.Verdict, r.Winner.Short(), r.Reason)
		case refused == 2 && (r.Verdict != archive.Refused || r.Winner != "" || !strings.Contains(r.Reason, `the gate "program" refused its proposal P1: it is worse`)):
			t.Errorf("%s of %s: %s", r.Verdict, r.Winner.Short(), r.Reason)
		}
		if err := m.Archive.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestHarmStops checks that a variant proven worse is followed by the next variant on the
// same night.
func TestHarmStops(t *testing.T) {
	m := newMonths(t, 80, 40)
	bad, good := m.variant(agent.Config{"chance": .2}), m.variant(agent.Config{"chance": .9})
	rec := m.found(.3, bad, good)
	rec.Finalists[0].Gain += .05 // the search preferred the wrong variant
	r := m.night(rec)
	if len(r.Finalist) != 2 || r.Finalist[0].Variant != bad.ID() || r.Finalist[0].Ruling.State != stats.Harmful || r.Finalist[0].Ruling.Blocks > 5 {
		t.Fatalf("%d candidates, the first is %+v", len(r.Finalist), r.Finalist[0].Reason)
	}
	if r.Verdict != archive.Adopt || r.Winner != good.ID() {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	// The harmful variant does not enter again.
	if next := m.night(m.found(.3, bad)); next.Blocks != 0 || next.Verdict != archive.Keep {
		t.Errorf("the next night: %s after %d blocks", next.Verdict, next.Blocks)
	}
}

func TestParkedAfterTwiceTheCap(t *testing.T) {
	m := newMonths(t, 80, 60)
	idle := m.variant(agent.Config{"n": int64(1)}) // as good as the champion
	r := m.night(m.found(.3, idle))
	c := m.entries()[0]
	if c.State != stats.Parked || r.Verdict != archive.Undecided {
		t.Fatalf("%s after %d blocks (%s): %s", c.State, c.Blocks, c.Reason, r.Verdict)
	}
	if pairs, most := float64(r.Finalist[0].Ruling.Pairs), 2*c.Projected; pairs <= most || pairs > most+40 {
		t.Errorf("parked after %.0f pairs, projected were %.0f", pairs, c.Projected)
	}
	// On another night the variant may continue with its evidence if the search still
	// recommends it.
	m.now = m.now.AddDate(0, 0, 40)
	m.night(m.found(.5, idle))
	again := m.entries()[0]
	if len(m.entries()) != 1 || len(again.Runs) != 2 || again.Projected <= c.Projected || again.Blocks <= c.Blocks {
		t.Errorf("taken up again: %+v", again)
	}
}

// TestTheMonthsEntries checks that twelve variants may enter in a month, and that the
// thirteenth waits.
func TestTheMonthsEntries(t *testing.T) {
	m := newMonths(t, 40, 100)
	m.Settings.Confirm.Finalists = 5
	number := int64(0)
	bad := func(n int) []agent.Config {
		var out []agent.Config
		for range n {
			number++
			out = append(out, m.variant(agent.Config{"chance": .1, "n": number}))
		}
		return out
	}
	var last archive.AgentResult
	for _, n := range []int{5, 5} {
		if last = m.night(m.found(.3, bad(n)...)); len(last.Finalist) != n {
			t.Fatalf("%d of %d entered: %s", len(last.Finalist), n, last.Reason)
		}
	}
	last = m.night(m.found(.3, bad(5)...))
	if len(last.Finalist) != 2 || last.Entries.Used != 12 || last.Verdict != archive.Undecided {
		t.Fatalf("%d entered, %d entries are used, %s", len(last.Finalist), last.Entries.Used, last.Verdict)
	}
	last = m.night(m.found(.3, bad(1)...))
	if len(last.Finalist) != 0 || len(m.entries()) != 12 || !strings.Contains(last.Reason, "all 12 confirmations") || !strings.Contains(last.Reason, "31 March 2026") {
		t.Fatalf("the thirteenth: %d entries, %s", len(m.entries()), last.Reason)
	}
	next := m.plan(t)
	o, err := next.Outlook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o.Entries.Used != 12 || !slices.ContainsFunc(o.Notes, func(s string) bool { return strings.Contains(s, "31 March 2026") }) {
		t.Errorf("the dry run says %+v", o)
	}
	m.now = time.Date(2026, 3, 31, 2, 0, 0, 0, time.UTC)
	if last = m.night(m.found(.3, bad(6)...)); len(last.Finalist) != 5 || last.Entries.Used != 12 {
		t.Errorf("a monthuntil the first night: %d entered, %d used", len(last.Finalist), last.Entries.Used)
	}
}

// TestEntriesUnderAnotherName checks that entries made under another name on the same data
// count, whatever the name, and that entries on other data or from an older evolve do not.
func TestEntriesUnderAnotherName(t *testing.T) {
	m := newMonths(t, 40, 100)
	m.Agent.Spends = "these cases"
	enter := func(name, spends string, n int) {
		t.Helper()
		for i := range n {
			e := confirm.Entry{Agent: name, Variant: agent.ConfigID(fmt.Sprint(name, i)), Champion: "base", Run: "1-other", Time: m.now, Alpha: .01, Spends: spends}
			if _, err := m.Archive.EnterCandidate(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	enter("elsewhere", "other cases", 5)
	enter("older", "", 5)
	enter("former", "these cases", 11)
	look := func(used int, named bool) {
		t.Helper()
		next := m.plan(t)
		o, err := next.Outlook(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := slices.Contains(o.Notes, "confirmations on the same held-out tasks under the name former also count")
		if o.Entries.Used != used || told != named {
			t.Errorf("the dry run has %+v", o)
		}
	}
	look(11, true)
	first, second := m.variant(agent.Config{"chance": .1, "n": int64(1)}), m.variant(agent.Config{"chance": .1, "n": int64(2)})
	last := m.night(m.found(.3, first, second))
	if len(last.Finalist) != 1 || last.Entries.Used != 12 || m.entries()[0].Spends != "these cases" {
		t.Errorf("%d entered, %d entries are used: %s", len(last.Finalist), last.Entries.Used, last.Reason)
	}
	m.now = m.now.AddDate(0, 0, 31)
	look(0, false)
}

// TestVoid checks that evidence against another champion or from another benchmark no
// longer counts.
func TestVoid(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*months)
		says   string
	}{
		"adoption": {func(m *months) { m.Agent.Champion = m.variant(agent.Config{"chance": .55}) }, "but the champion is"},
		"suite": {func(m *months) {
			for i := range m.suite().Tasks {
				m.suite().Tasks[i].Goal = "say yes, please"
			}
		}, "the holdout tasks"},
		"prices": {func(m *months) {
			m.Settings.Prices = "others"
		}, "the prices have changed"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMonths(t, 80, 1)
			candidate := m.variant(agent.Config{"chance": .7})
			m.night(m.found(.15, candidate))
			if e := m.entries(); len(e) != 1 || e[0].State != stats.Open || e[0].Blocks != 1 {
				t.Fatalf("the first night leaves %+v", e)
			}
			c.change(m)
			r := m.night(m.found(.15, candidate))
			e := m.entries()
			if len(e) != 2 || !strings.Contains(e[0].Void, c.says) || e[0].Blocks != 1 || e[1].Void != "" || e[1].Blocks != 1 {
				t.Fatalf("entries: %+v", e)
			}
			if r.Finalist[0].Ruling.Blocks != 1 || r.Entries.Used != 2 {
				t.Errorf("%d blocks are held against the new champion, %d entries are used", r.Finalist[0].Ruling.Blocks, r.Entries.Used)
			}
			if diff := cmp.Diff([]string{"confirm.enter", "confirm.end", "confirm.enter"}, m.kinds()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDearIsATrade checks that a person must decide on a variant that is better and costs
// twice as much.
func TestDearIsATrade(t *testing.T) {
	m := newMonths(t, 80, 40)
	m.Agent.Champion = m.variant(agent.Config{"price": .01})
	r := m.night(m.found(.3, m.variant(agent.Config{"chance": .9, "price": .02})))
	f := r.Finalist[0]
	if f.Ruling.State != stats.Trade || r.Verdict != archive.Trade || len(r.Proposals) != 1 || r.Winner != f.Variant ||
		f.Accepted || !strings.Contains(f.Reason, "mean cost $0.01 → $0.02 (+100 %") {
		t.Errorf("%s: %s", r.Verdict, f.Reason)
	}
}

// TestMissingDataDropsThePairOnly checks that a block counts as complete despite
// infrastructure failures.
func TestMissingDataDropsThePairOnly(t *testing.T) {
	m := newMonths(t, 40, 3)
	lost := m.variant(agent.Config{"chance": .52})
	m.Answer = func(ctx context.Context, req agent.Request) agent.Result {
		if string(req.Task.Input) == "1" && req.Config.ID() == lost.ID() || string(req.Task.Input) == "4" {
			return agent.Result{Outcome: agent.Infrastructure}
		}
		return coin(ctx, req)
	}
	m.Patience = bench.Patience{Attempts: 1}
	r, err := m.confirm(t.Context(), m.found(.1, lost))
	if err != nil {
		t.Fatal(err)
	}
	side := map[string]bool{}
	for _, task := range m.suite().Side(bench.Holdout) {
		side[task.ID] = true
	}
	want, missing := 20, 0
	if side["t1"] {
		want, missing = want-1, missing+3
	}
	if side["t4"] {
		want, missing = want-1, missing+6
	}
	if got := r.Finalist[0].Ruling; missing == 0 || got.Tasks != want || got.Pairs != 3*want || r.Blocks != 3 || r.Infrastructure != missing {
		t.Errorf("%d tasks, %d pairs, %d blocks, %d missing; want %d tasks, %d missing", got.Tasks, got.Pairs, r.Blocks, r.Infrastructure, want, missing)
	}
}

// TestFixedAgentsHaveOneBlock checks that if a repeat is not new evidence, each candidate
// has one block, and the champion's part of the block is run once a night.
func TestFixedAgentsHaveOneBlock(t *testing.T) {
	m := newMonths(t, 80, 40)
	m.Agent.UsesSeed = false
	var calls atomic.Int64
	m.Answer = counting(inProcess(coin), &calls)
	var list []agent.Config
	for n := range int64(5) {
		list = append(list, m.variant(agent.Config{"chance": .5, "n": n + 1}))
	}
	r := m.night(m.found(.3, list...))
	if len(r.Finalist) != 3 || r.Blocks != 3 || calls.Load() != 4*40 {
		t.Errorf("%d candidates in %d blocks with %d evaluations", len(r.Finalist), r.Blocks, calls.Load())
	}
	for _, f := range r.Finalist {
		if f.Ruling.Tasks != 40 || f.Ruling.Blocks != 1 {
			t.Errorf("%d tasks, %d blocks", f.Ruling.Tasks, f.Ruling.Blocks)
		}
	}
	firsts := map[int]bool{}
	for _, e := range listed(t, m.Archive.Exposures(t.Context(), "toy")) {
		firsts[e.FirstRepeat] = true
	}
	if len(firsts) != 1 {
		t.Errorf("the openings of one night have the repeats %v", firsts)
	}
	// Judged variants are not judged again; the next two have their turn.
	r = m.night(m.found(.3, list...))
	if len(r.Finalist) != 2 || len(m.entries()) != 5 {
		t.Errorf("the second night: %d candidates, %d entries", len(r.Finalist), len(m.entries()))
	}
}

// TestResumeInABlock stops a confirmation after a number of evaluations, as a crash
// would, and resumes it. No entry and no evaluation may be paid for twice, and the result
// must equal the result of an undisturbed night.
func TestResumeInABlock(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		run := func(ctx context.Context, m *months) (archive.AgentResult, error) {
			bad, idle := m.variant(agent.Config{"chance": .25}), m.variant(agent.Config{"n": int64(7)})
			rec := m.found(.4, bad, idle)
			rec.Finalists[0].Gain += .05
			for i := range rec.Finalists {
				rec.Finalists[i].SD = .01
			}
			return m.confirm(ctx, rec)
		}
		fresh := func(t *testing.T) *months {
			m := newMonths(t, 40, 9)
			m.Agent.UsesSeed = !fixed
			return m
		}
		calm := fresh(t)
		var whole atomic.Int64
		calm.Answer = counting(inProcess(coin), &whole)
		want, err := run(t.Context(), calm)
		if err != nil || len(want.Finalist) != 2 {
			t.Fatalf("%d candidates, %v", len(want.Finalist), err)
		}
		for _, after := range []int64{0, 1, 39, 40, 50, whole.Load() - 1} {
			t.Run(fmt.Sprint(fixed, after), func(t *testing.T) {
				m := fresh(t)
				var paid, again atomic.Int64
				ctx, cut := context.WithCancelCause(t.Context())
				defer cut(nil)
				m.Answer = func(ctx context.Context, req agent.Request) agent.Result {
					if paid.Load() >= after {
						cut(errors.New("power cut"))
						return agent.Result{Outcome: agent.Cancelled}
					}
					paid.Add(1)
					return coin(ctx, req)
				}
				m.Concurrency, m.Drain = 1, ctx
				cutOff, err := run(ctx, m)
				m.Concurrency, m.Drain = 8, t.Context()
				if err == nil {
					t.Fatal("it was not interrupted")
				}
				for _, f := range cutOff.Finalist {
					if f.Ruling.Pairs%20 != 0 {
						t.Errorf("judged in the middle of a block, after %d pairs", f.Ruling.Pairs)
					}
				}
				latest, err := m.Archive.Run(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				latest.State = archive.RunRunning // a killed process leaves its run in this state
				if err := m.Archive.PutRun(t.Context(), latest); err != nil {
					t.Fatal(err)
				}
				m.Answer = counting(inProcess(coin), &again)
				got, err := run(t.Context(), m)
				if err != nil {
					t.Fatal(err)
				}
				if total := paid.Load() + again.Load(); total != whole.Load() {
					t.Errorf("%d evaluations were paid for, undisturbed %d", total, whole.Load())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("another result:\n%s", diff)
				}
				if diff := cmp.Diff(calm.entries(), m.entries(), cmpopts.IgnoreFields(archive.Candidate{}, "Ledger")); diff != "" {
					t.Errorf("other entries:\n%s", diff)
				}
			})
		}
	}
}
