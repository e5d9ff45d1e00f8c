package experience

import (
	"testing"

	"evolve/runtime/agent"
)

// TestReferralsAreNotSuppressed tests that choosing a tool is worth as much with
// referrals as without, although the referrals affect the advice. In the advice, the
// referrals count as calls that should not have gone to the tool, so ten successes
// alongside them do not show that the tool is in good health.
func TestReferralsAreNotSuppressed(t *testing.T) {
	ok := times(10, Call{Tool: "calc", Outcome: agent.OK})
	without := used(ok...)
	with := used(append(append(refer(8, "calc", "units"), refer(8, "calc", "dates")...), ok...)...)
	use := Use{Tool: "calc", Domain: "ops"}
	for _, domain := range []string{"ops", Global, "research"} {
		a, b := without.Usefulness("calc", "", domain), with.Usefulness("calc", "", domain)
		if a != b {
			t.Errorf("%s: usefulness %g with referrals, %g without", domain, b, a)
		}
		scoreA, _ := without.Weigh(use, .6, a)
		scoreB, effects := with.Weigh(use, .6, b)
		if scoreA != scoreB || len(effects) > 0 {
			t.Errorf("%s: score %g with referrals, %g without; %+v", domain, scoreB, scoreA, effects)
		}
	}
	only := used(refer(30, "calc", "units")...)
	if u := only.Usefulness("calc", "", Global); u != .5 || len(only.Learnings(Global)) > 0 {
		t.Errorf("referrals alone: usefulness %g, learnings %+v", u, only.Learnings(Global))
	}
	if a := with.Advice("calc"); a.Remedy != Split || a.Judged != 26 || a.Referrals != 16 {
		t.Errorf("%+v", a)
	}
	// Referrals without evidence count against the tool.
	excuses := used(append(times(20, Call{Tool: "calc", Outcome: agent.WrongToolBoundary}), ok...)...)
	if a, b := excuses.Usefulness("calc", "", Global), without.Usefulness("calc", "", Global); a >= b {
		t.Errorf("usefulness %g with excuses, %g without", a, b)
	}
}
