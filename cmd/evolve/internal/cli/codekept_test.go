package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// refs lists the git refs of versions.
func (n codeNights) refs() string {
	n.t.Helper()
	out, err := exec.Command("git", "-C", n.repo, "for-each-ref", "--format=%(refname)", "refs/evolve/code").Output()
	if err != nil {
		n.t.Fatal(err)
	}
	return string(out)
}

type openProposals struct {
	Best *struct{ Ref string }
	Open []struct{ Proposal, Ref, Moved string }
}

func (n codeNights) opened() (v openProposals) {
	n.t.Helper()
	if err := json.Unmarshal([]byte(n.evolve("code", "show", "curve", "--json")), &v); err != nil {
		n.t.Fatal(err)
	}
	return v
}

// TestWhatCommandsNameIsKept checks that the best version and the version whose proposal
// waits keep their commits, however many versions later nights score, even on other code.
// After another commit, all commands must show for which commit the proposal was made and
// whether it still applies.
func TestWhatCommandsNameIsKept(t *testing.T) {
	n := newCodeNights(t)
	names := n.record([]string{factors("0", "0", "3")}, []float64{3})
	n.confirm(names[0])
	n.evolve("run", "--agent", "curve", "--budget-evals", "12", "--seed", "2") // it proposes the version
	ref := n.opened().Best.Ref
	if ref == "" {
		t.Fatal("the best version has no ref")
	}
	nights := func(seeds ...string) {
		t.Helper()
		for _, seed := range seeds {
			n.evolve("run", "--agent", "curve", "--stages", "search", "--budget-evals", "120", "--seed", seed)
		}
	}
	nights("3", "4")
	if refs := n.refs(); strings.Count(refs, "\n") != 20 || !strings.Contains(refs, ref+"\n") {
		t.Errorf("after more nights the refs are\n%s", refs)
	}
	if got := n.opened(); got.Best == nil || got.Best.Ref != ref || len(got.Open) != 0 {
		t.Errorf("the best version is %+v", got)
	}

	n.write(n.repo+"/README", "of no version")
	n.commit()
	const applies = "it still applies, and its gates run again before an approval"
	if got := n.opened(); got.Best != nil || len(got.Open) != 1 || got.Open[0].Proposal != "P1" || got.Open[0].Ref != ref || !strings.HasSuffix(got.Open[0].Moved, applies) {
		t.Errorf("after another commit %+v", got)
	}
	if got := n.evolve("code", "lineage", "curve"); !strings.HasPrefix(got, "  "+names[0]+"  ") {
		t.Errorf("the lineage is\n%s", got)
	}
	status := func() string { return strings.Join(strings.Fields(n.evolve("status")), " ") }
	if got := status(); !strings.Contains(got, applies) || !strings.Contains(got, "the patch was made for ") || !strings.Contains(got, "evolve approve P1") {
		t.Errorf("the status is %s", got)
	}
	nights("5", "6")
	if refs := n.refs(); !strings.Contains(refs, ref+"\n") {
		t.Errorf("after nights on other code the refs are\n%s", refs)
	}

	n.write(n.repo+"/params", "# evolve:begin factors\n"+factors("7", "2", "3")+"# evolve:end\n")
	n.commit()
	const not = "it no longer applies: the target has since changed passages that the patch also changes: params"
	if got := n.opened(); len(got.Open) != 1 || !strings.HasSuffix(got.Open[0].Moved, not) {
		t.Errorf("after a change of its line %+v", got)
	}
	const offered = "evolve approve P1"
	if got := status(); !strings.Contains(got, not) || !strings.Contains(got, "it cannot be approved as it is; reject it: evolve reject P1") || strings.Contains(got, offered) {
		t.Errorf("the status is %s", got)
	}
	settings, err := os.ReadFile(n.root + "/evolve.yaml")
	if err != nil {
		t.Fatal(err)
	}
	n.write(n.root+"/evolve.yaml", strings.Replace(string(settings), "curve", "line", 1))
	if got := status(); !strings.Contains(got, `there is no target "curve"`) || !strings.Contains(got, "it cannot be approved as it is") || strings.Contains(got, offered) {
		t.Errorf("without its target the status is %s", got)
	}
}
