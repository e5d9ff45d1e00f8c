package cli

import (
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/wire"
)

// head returns the id of the commit at HEAD.
func (n codeNights) head() string {
	n.t.Helper()
	out, err := exec.Command("git", "-C", n.repo, "rev-parse", "HEAD").Output()
	if err != nil {
		n.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// inArchive changes records in the archive.
func (n codeNights) inArchive(change func(*archive.Archive) error) {
	n.t.Helper()
	a, err := archive.Open(wire.ArchiveDir(n.root), archive.Options{Owner: "a test"})
	if err != nil {
		n.t.Fatal(err)
	}
	if err := errors.Join(change(a), a.Close()); err != nil {
		n.t.Fatal(err)
	}
}

// changeResult changes the result of the latest night.
func (n codeNights) changeResult(change func(*archive.Archive, *archive.AgentResult) error) {
	n.t.Helper()
	n.inArchive(func(a *archive.Archive) error {
		run, err := a.Run(n.t.Context(), "")
		if err != nil {
			return err
		}
		r, err := a.Result(n.t.Context(), run.ID, "curve")
		if err != nil {
			return err
		}
		if err := change(a, &r); err != nil {
			return err
		}
		return a.PutResult(n.t.Context(), r)
	})
}

// has reports a test error for each wanted text that got does not contain.
func (n codeNights) has(when, got string, wants ...string) {
	n.t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			n.t.Errorf("%s %q is not in\n%s", when, want, got)
		}
	}
}

// shownVersion is the part of the output of `evolve code show --json` that the tests read.
type shownVersion struct {
	Confirmed bool
	Diff      string
	Base      struct{ Variant, Commit, Now string }
	Values    struct{ Search *codeMeans }
	History   []struct {
		Proposal, Act, By, Reason, Gate, Commit string
		Time                                    time.Time
	}
	Unconfirmed string
}

func (n codeNights) version(name string) shownVersion {
	n.t.Helper()
	var view struct{ Version shownVersion }
	if err := json.Unmarshal([]byte(n.evolve("code", "show", "curve", name, "--json")), &view); err != nil {
		n.t.Fatal(err)
	}
	return view.Version
}

// adopted returns a workspace whose target has adopted the version of P1, with that
// version's name and its base commit.
func adopted(t *testing.T) (n codeNights, name, base string) {
	n = newCodeNights(t)
	base = n.head()
	name = n.record([]string{factors("0", "0", "3")}, []float64{3})[0]
	n.confirm(name)
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2") // this run proposes the version
	n.evolve("approve", "P1", "--yes", "--by", "Ada <ada@example.org>", "--override-reason", "read it")
	return n, name, base
}

// TestAdoptedVersionIsShownOnItsBase checks that the values and the diff of an adopted
// version are relative to the code against which the version was measured, and that the
// commit of that code is shown. What became of the version, and who decided on it, must
// be shown even after a night on the new code and after a rollback.
func TestAdoptedVersionIsShownOnItsBase(t *testing.T) {
	n, name, base := adopted(t)
	adoption := n.head()
	today := time.Now().Format("2006-01-02")
	decided := "decided   P1 adopted " + today + " by Ada <ada@example.org>, commit " + adoption[:12] + "\n"
	check := func(when, now string) {
		t.Helper()
		got := n.evolve("code", "show", "curve", name)
		n.has(when, got, "  base      "+base[:12]+"; HEAD is "+now, "distance  6 → 3\n", "  -a=1\n", "  +a=0\n", "diff against the base, "+base[:12]+"\n", "  confirmed on held-out cases\n", "  proposed  P1 "+today+"\n", "  "+decided)
		if strings.Contains(got, "did not enter") {
			t.Errorf("%s an adopted version is shown as\n%s", when, got)
		}
		v := n.version(name)
		if v.Base.Commit != base || v.Base.Now == "" || v.Values.Search == nil || v.Values.Search.A != 6 || v.Values.Search.B != 3 || !v.Confirmed {
			t.Errorf("%s the JSON has %+v", when, v)
		}
		if !slices.ContainsFunc(strings.Split(v.Diff, "\n"), func(l string) bool { return l == "-a=1" }) {
			t.Errorf("%s the diff in JSON is\n%s", when, v.Diff)
		}
	}
	check("after the adoption", adoption[:12]+", which contains this version\n")
	v := n.version(name)
	if h := v.History; len(h) != 2 || h[0].Act != "proposed" || h[1].Act != "adopted" || h[1].Proposal != "P1" || h[1].By != "Ada <ada@example.org>" || h[1].Commit != adoption || h[1].Time.IsZero() {
		t.Errorf("the history in JSON is %+v", h)
	}
	n.has("the lineage", n.evolve("code", "lineage", "curve", name), "      "+decided)

	n.evolve("run", "--agent", "curve", "--stages", "search", "--budget-evals", "12", "--seed", "3", "--quiet")
	check("after a night on the new code", adoption[:12]+", which contains this version\n")

	n.evolve("rollback", "P1", "--yes", "--by", "Eve <eve@example.org>", "--reason", "too early")
	back := n.head()
	check("after the rollback", "")
	n.has("after the rollback", n.evolve("code", "show", "curve", name), "  decided   P1 rolled back "+today+" by Eve <eve@example.org>, commit "+back[:12]+": too early\n")

	// A plan from an older version of evolve does not contain the commit of the code.
	n.inArchive(func(a *archive.Archive) error {
		for r, err := range a.Runs(t.Context()) {
			if err != nil {
				return err
			}
			plan, err := a.Plan(t.Context(), r.ID, "curve")
			if err != nil {
				return err
			}
			plan.CodeCommit = ""
			if err := a.PutPlan(t.Context(), plan); err != nil {
				return err
			}
		}
		return nil
	})
	n.write(n.repo+"/params", "# evolve:begin factors\n"+factors("7", "2", "3")+"# evolve:end\n")
	n.commit()
	n.has("without a recorded commit", n.evolve("code", "show", "curve", name), ", at a commit that was not recorded; HEAD is "+n.head()[:12]+", where the blocks differ from the base and from this version\n", "  -a=1\n", "  +a=0\n")
}

// TestFateOfVersions checks that a version and its lineage show a rejection with its
// reason, and a gate that refused the version.
func TestFateOfVersions(t *testing.T) {
	n := newCodeNights(t)
	names := n.record([]string{factors("0", "0", "3"), factors("0", "2", "3")}, []float64{3, 5})
	n.confirm(names[0])
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2")
	n.has("a proposal that waits", n.evolve("code", "show", "curve", names[0]), ", waits for a person to decide, because gates flagged it\n")
	n.has("the best version", n.evolve("code", "show", "curve"), "  best     "+names[0]+", confirmed on held-out cases\n", "  proposed P1 ", ", waits for a person to decide, because gates flagged it\n")
	n.evolve("reject", "P1", "--yes", "--by", "Ada <ada@example.org>", "--reason", "not now\x1b[2J")
	n.inArchive(func(a *archive.Archive) error {
		p, err := a.Proposal(t.Context(), "P1")
		if err != nil {
			return err
		}
		v, err := a.FindVariant(t.Context(), "curve", names[1])
		if err != nil {
			return err
		}
		p.State, p.Decision, p.Created = archive.GateFailed, nil, time.Time{}
		p.Gates = []archive.GateVerdict{{Gate: "program", Verdict: "failed", Evidence: "it prints in place of the command"}}
		brief := *p.Patch
		brief.Variant = v.ID
		p.Patch = &brief
		_, err = a.NewProposal(t.Context(), p)
		return err
	})
	today := time.Now().Format("2006-01-02")
	n.has("a rejection", n.evolve("code", "show", "curve", names[0]), "  decided   P1 rejected "+today+` by Ada <ada@example.org>: not now\x1b[2J`+"\n")
	n.has("a refusal", n.evolve("code", "show", "curve", names[1]), "  refused   P2 by the gate \"program\": it prints in place of the command\n")
	n.has("the lineage", n.evolve("code", "lineage", "curve", names[1]), "      refused   P2 by the gate")
	if h := n.version(names[0]).History; len(h) != 2 || h[1].Act != "rejected" || !strings.HasPrefix(h[1].Reason, "not now") {
		t.Errorf("the history in JSON is %+v", h)
	}
	if h := n.version(names[1]).History; len(h) != 2 || h[1].Act != "refused" || h[1].Gate != "program" {
		t.Errorf("the history in JSON is %+v", h)
	}
}

// TestWhyTheBestIsNotConfirmed checks that the best version is shown with the reason why it
// is not confirmed, as nights recorded it.
func TestWhyTheBestIsNotConfirmed(t *testing.T) {
	n := newCodeNights(t)
	names := n.record([]string{factors("0", "0", "3"), factors("0", "0", "4")}, []float64{3, 3})
	first, second := names[0], names[1]
	best := func(change func(r *archive.AgentResult, v, small archive.Variant)) string {
		t.Helper()
		n.changeResult(func(a *archive.Archive, r *archive.AgentResult) error {
			v, err := a.FindVariant(t.Context(), "curve", first)
			if err != nil {
				return err
			}
			small, err := a.FindVariant(t.Context(), "curve", second)
			if err != nil {
				return err
			}
			*r = archive.AgentResult{Run: r.Run, Agent: r.Agent, Verdict: archive.Undecided}
			r.Search.Recommended.Variant = v.ID
			change(r, v, small)
			return nil
		})
		for line := range strings.Lines(n.evolve("code", "show", "curve")) {
			if why, ok := strings.CutPrefix(line, "  best     "+first); ok {
				return strings.TrimSpace(why)
			}
		}
		return ""
	}
	ruling := func(state stats.State, lo, hi float64) *stats.Ruling {
		return &stats.Ruling{State: state, New: stats.Interval{Lo: lo, Hi: hi}, NewLower: lo, Least: 8, Independent: 30, Threshold: 4}
	}
	for want, change := range map[string]func(r *archive.AgentResult, v, small archive.Variant){
		"(not confirmed: the 12 entries of 30 days are used)": func(r *archive.AgentResult, v, _ archive.Variant) {
			r.Causes = []stats.Cause{{Kind: stats.CauseNoEntry, Subject: string(v.ID), Sentence: "variant " + v.ID.Short() + " looked better on the search tasks but was not confirmed: the 12 entries of 30 days are used"}}
		},
		"(not confirmed: the interval for its score difference on new cases includes 0; the next night continues its confirmation)": func(r *archive.AgentResult, v, _ archive.Variant) {
			r.Finalist = []archive.Finalist{{Variant: v.ID, Ruling: ruling(stats.Open, -.01, .2)}}
		},
		"(not confirmed: the lower bound of its score difference is not above 0 at 98.2 %, the confidence level of a confirmation)": func(r *archive.AgentResult, v, _ archive.Variant) {
			f := ruling(stats.HereOnly, .01, .2)
			f.Fixed, f.NewLower = true, -.01
			r.Finalist = []archive.Finalist{{Variant: v.ID, Ruling: f}}
		},
		"(not confirmed: proven on these cases only: the lower bound of its score difference is not above 0 at 98.2 %, the confidence level of a confirmation)": func(r *archive.AgentResult, v, _ archive.Variant) {
			f := ruling(stats.HereOnly, .01, .2)
			f.Fixed, f.NewLower, f.Claim = true, -.01, stats.TheseTasks
			r.Finalist = []archive.Finalist{{Variant: v.ID, Ruling: f}}
		},
		"(not confirmed: it is not better on held-out cases)": func(r *archive.AgentResult, v, _ archive.Variant) {
			f := ruling(stats.Harmful, -.2, -.1)
			f.Fixed = true
			r.Finalist = []archive.Finalist{{Variant: v.ID, Ruling: f}}
		},
		"(not confirmed: " + second + ", its reduced form, was judged instead: proven on these cases only: it needs 8 independent held-out cases, but there are only 3)": func(r *archive.AgentResult, v, small archive.Variant) {
			f := ruling(stats.HereOnly, .1, .2)
			f.Independent, f.Claim = 3, stats.TheseTasks
			r.Finalist = []archive.Finalist{{Variant: small.ID, Ruling: f}}
			r.Ablations = []archive.Ablation{{Winner: v.ID, Small: small.ID}}
		},
		"(not confirmed: only a search was requested, so nothing was confirmed on the holdout)": func(r *archive.AgentResult, _, _ archive.Variant) {
			r.Causes = []stats.Cause{{Kind: stats.CauseSearchOnly, Sentence: "only a search was requested, so nothing was confirmed on the holdout"}}
		},
		"(not confirmed: P7 waits for a decision; no confirmation was begun on new cases)": func(r *archive.AgentResult, _, _ archive.Variant) {
			r.Verdict, r.Reason = archive.Waits, "P7 waits for a decision; no confirmation was begun on new tasks"
		},
		"(not confirmed: the reason was not recorded)": func(*archive.AgentResult, archive.Variant, archive.Variant) {},
	} {
		if got := best(change); got != want {
			t.Errorf("the best version is shown as\n%s\nand not as\n%s", got, want)
		}
	}
	best(func(r *archive.AgentResult, v, _ archive.Variant) {
		r.Refused = []stats.Refusal{{Variant: string(v.ID), Proposal: "P3", Gate: "program", Reason: "it cheats"}}
	})
	n.has("a refused version", n.evolve("code", "show", "curve", first), "  not confirmed: the gate \"program\" of P3 refused it\n")
	if v := n.version(first); v.Unconfirmed != `the gate "program" of P3 refused it` {
		t.Errorf("the JSON has %+v", v)
	}
}

// TestMakingSmallThatWasCutShortIsTold checks that a version and its proposal are shown
// with the result of an unfinished attempt to reduce the version.
func TestMakingSmallThatWasCutShortIsTold(t *testing.T) {
	n := newCodeNights(t)
	names := n.record([]string{factors("0", "0", "4"), factors("0", "0", "3")}, []float64{3, 3}, [2]int{1, 2})
	const reason = "the reduced variant scores no less than the variant found by the search on each of 4 search tasks; the evaluations ran out before every part had been tried on every search task"
	n.changeResult(func(_ *archive.Archive, r *archive.AgentResult) error {
		r.Ablations[0].Reason = reason
		return nil
	})
	n.confirm(names[1])
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2")
	const told = "the reduced variant scores no less than the variant found by the search on each of 4 search cases; the evaluations ran out before every part had been tried on every search case\n"
	n.has("the version", n.evolve("code", "show", "curve", names[1]), "\nreduced from "+names[0]+": "+told)
	n.has("the proposal", n.evolve("show", "P1"), "    reduced: "+told)
	n.has("the JSON", n.evolve("show", "P1", "--json"), `"made_small": "the reduced variant`)
}
