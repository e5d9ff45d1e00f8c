package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
)

// confirm records that the latest night confirmed the named version, as if the process
// had ended before making the proposal.
func (n codeNights) confirm(name string) {
	n.t.Helper()
	ctx := n.t.Context()
	a, err := archive.Open(wire.ArchiveDir(n.root), archive.Options{Owner: "a test"})
	if err != nil {
		n.t.Fatal(err)
	}
	v, err := a.FindVariant(ctx, "curve", name)
	if err != nil {
		n.t.Fatal(err)
	}
	run, err := a.Run(ctx, "")
	if err != nil {
		n.t.Fatal(err)
	}
	result, err := a.Result(ctx, run.ID, "curve")
	if err != nil {
		n.t.Fatal(err)
	}
	result.Winner, result.Verdict, result.Reason = v.ID, archive.Adopt, "it is better, as the night found"
	result.Finalist = []archive.Finalist{{Variant: v.ID, Accepted: true}}
	if err := errors.Join(a.PutResult(ctx, result), a.Close()); err != nil {
		n.t.Fatal(err)
	}
}

// TestVersionOfAKilledNightIsProposed checks that if a night confirmed a version but its
// process ended before the proposal, the version is proposed once, at the end of the next
// night.
func TestVersionOfAKilledNightIsProposed(t *testing.T) {
	n := newCodeNights(t)
	names := n.record([]string{factors("0", "0", "3"), factors("0", "2", "3")}, []float64{3, 5})
	n.confirm(names[0])
	if got := n.evolve("code", "show", "curve"); !strings.Contains(got, names[0]+", confirmed on held-out cases; no proposal was made: run 1-") {
		t.Errorf("before the next night:\n%s", got)
	}
	type listed struct{ ID, State, Origin, Diff, Gain string }
	patches := func() []listed {
		t.Helper()
		var list struct{ Patches []listed }
		if err := json.Unmarshal([]byte(n.evolve("patch", "list", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		return list.Patches
	}
	out := n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2")
	if list := patches(); len(list) != 1 || list[0].State != "human_lane" || list[0].Origin != "blocks" || !strings.Contains(list[0].Gain, "as the night found; estimated effect of each hunk by itself") {
		t.Fatalf("the patches are %+v\n%s", list, out)
	}
	if !strings.Contains(out, "patch   P1 (flagged) of curve") {
		t.Errorf("the night tells\n%s", out)
	}
	n.evolve("reject", "P1", "--yes", "--by", "Ada <ada@example.org>", "--reason", "not now")
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "3")
	if list := patches(); len(list) != 1 {
		t.Errorf("the patches are %+v", list)
	}
}
