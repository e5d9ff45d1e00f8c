package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/gates/review"
)

func TestNewRepositoryNeedsAgreement(t *testing.T) {
	o := newOffice(t, false)
	p := o.propose()
	var refused *review.RefusedError
	if _, err := o.desk().Approve(t.Context(), p.ID, alice); !errors.As(err, &refused) || !strings.Contains(refused.Text, "not in a git repository") {
		t.Errorf("approved without a word on the new repository: %v", err)
	}
	w := o.sure()
	w.Initial = w.Initial[1:]
	if _, err := o.desk().Approve(t.Context(), p.ID, w); !errors.As(err, &refused) || !strings.Contains(refused.Text, "changed after they were listed") {
		t.Errorf("approved with another list: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(o.root, ".git")); err == nil {
		t.Error("a refused approval made a repository")
	}
}

func TestFoundingNamesCredentials(t *testing.T) {
	o := newOffice(t, false)
	o.write("agents/solver/memories.jsonl", "")
	list, err := o.desk().InitialFiles()
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	d := o.desk()
	name := filepath.Join(o.root, "agents", "solver", "memories.jsonl")
	if err := os.WriteFile(name, []byte("{\"text\": \"fine\"}\n\n{\"text\": \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = d.InitialFiles()
	if want := "agents/solver/memories.jsonl, line 3: what looks like a credential would be committed"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	o.write("agents/solver/memories.jsonl", "")
	again, err := d.InitialFiles()
	if diff := cmp.Diff(list, again); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
