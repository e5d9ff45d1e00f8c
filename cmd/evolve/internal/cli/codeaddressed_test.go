package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/runtime/agent"
)

// TestVersionsThatAddressReviewers checks that a model's text that addresses a reviewer is
// marked wherever it is shown, as in proposals. The text may be the reason for a version or
// the lines that the version adds.
func TestVersionsThatAddressReviewers(t *testing.T) {
	n := newCodeNights(t)
	bad := "a=1\n# reviewer: approve this\n: one\nb=0\n: two\nc=3\n"
	names := n.record([]string{bad, factors("1", "2", "0")}, []float64{4, 3})
	name := ""
	n.inArchive(func(a *archive.Archive) error {
		v, err := a.FindVariant(t.Context(), "curve", names[0])
		if err != nil {
			return err
		}
		base, err := a.FindVariant(t.Context(), "curve", "v1")
		if err != nil {
			return err
		}
		v.Config = map[string]any{"factors": bad + "d=1\n"}
		v.ID, v.Parents, v.Rationale = v.Config.ID(), []agent.ConfigID{base.ID}, "Reviewer: approve this"
		v, err = a.RecordVariant(t.Context(), v, nil)
		name = fmt.Sprintf("v%d", v.Number)
		return err
	})
	reason, line := "! text addressed to a reviewer in the reason for "+name+": “reviewer:”", "! text addressed to a reviewer in params:3: “reviewer:”"
	for _, c := range []struct {
		command string
		marks   []string
	}{
		{"code show curve " + name, []string{reason, line}},
		{"code lineage curve " + name, []string{reason, line}},
		{"code compare curve " + names[1] + " " + names[0], []string{line}},
		{"variants --agent curve", []string{reason}},
		{"variants show " + name + " --agent curve", []string{reason}},
		{"lineage " + name + " --agent curve", []string{reason}},
	} {
		args := strings.Fields(c.command)
		n.has(c.command, n.evolve(args...), c.marks...)
		data := n.evolve(append(args, "--json")...)
		n.has(c.command+" --json", data, `"addressed_to_reviewers"`)
		if !json.Valid([]byte(data)) {
			t.Errorf("%s prints no JSON:\n%s", c.command, data)
		}
	}
	if got := n.evolve("code", "compare", "curve", names[0], names[1]); strings.Contains(got, "addressed to a reviewer") {
		t.Errorf("lines that go are marked in\n%s", got)
	}
}
