package review

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/runtime/agent"
)

func TestOvertaken(t *testing.T) {
	adds := archive.ProposalRecord{Kind: archive.KindMemory, Files: []archive.FileChange{{
		Old: []byte(`{"id": "m1", "text": "Ada runs the harbour"}` + "\n"),
		New: []byte(`{"id": "m1", "text": "Ada runs the harbour"}` + "\n" + `{"id": "f1", "text": "The depot opens at 7"}` + "\n" + `{"id": "f2", "text": "Bo likes tea"}` + "\n"),
	}}}
	retracts := archive.ProposalRecord{Kind: archive.KindMemory, Files: []archive.FileChange{{
		Old: []byte(`{"id": "m1", "text": "Ada runs the harbour"}` + "\n"),
		New: []byte(`{"id": "m1", "text": "Ada runs the harbour", "retracted": "she left"}` + "\n"),
	}}}
	m1 := agent.Memory{ID: "m1", Text: "Ada runs the harbour"}
	gone := m1
	gone.Retracted = "she left"
	for name, c := range map[string]struct {
		p    archive.ProposalRecord
		now  []agent.Memory
		want []string
	}{
		"new":             {adds, []agent.Memory{m1}, nil},
		"added by hand":   {adds, []agent.Memory{m1, {ID: "m2", Text: "the depot opens at 7."}}, []string{"f1 already exists as m2"}},
		"added":           {adds, []agent.Memory{m1, {ID: "f2", Text: "Bo likes tea"}}, []string{"f2 already exists"}},
		"retracted":       {adds, []agent.Memory{m1, {ID: "m2", Text: "Bo likes tea", Retracted: "gossip"}}, []string{"f2 was retracted under the id m2"}},
		"a mark":          {retracts, []agent.Memory{m1}, nil},
		"marked already":  {retracts, []agent.Memory{gone}, []string{"m1 is already retracted"}},
		"without memory":  {retracts, nil, []string{"m1 is gone"}},
		"of another kind": {archive.ProposalRecord{Kind: archive.KindConfig}, []agent.Memory{m1}, nil},
	} {
		if diff := cmp.Diff(c.want, Overtaken(c.p, c.now)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
