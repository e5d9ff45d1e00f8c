package patch

import (
	"context"
	"testing"
)

func TestChanges(t *testing.T) {
	b := newFixture(t, map[string]string{"ws/agents/a/STRATEGY.md": "careful", "ws/agents/b/STRATEGY.md": "careful"})
	start := b.git("rev-parse", "HEAD")
	commit := func(path, text, subject string) string {
		b.write(path, text)
		b.git("add", "--all")
		b.git("commit", "--quiet", "--date=2026-11-14T08:00:00+01:00", "--message="+subject)
		return b.git("rev-parse", "HEAD")
	}
	b.git("branch", "side")
	commit("ws/agents/b/STRATEGY.md", "other", "another agent's")
	first := commit("ws/agents/a/STRATEGY.md", "careless", "make it bold\n\nbody")
	last := commit("ws/agents/a/STRATEGY.md", "worse", "bolder")
	b.open(b.dir + "/ws")
	ctx := context.Background()
	list, all, err := b.repo.Changes(ctx, start, last, 5, "agents/a")
	if err != nil || all != 2 || len(list) != 2 || list[0].Commit != first || list[0].Subject != "make it bold" || list[0].Time.UTC().Format("2 Jan 15:04") != "14 Nov 07:00" || list[1].Commit != last {
		t.Errorf("the changes are %+v, %d, %v; want %s and %s", list, all, err, first, last)
	}
	if list, all, err := b.repo.Changes(ctx, start, last, 1, "agents/a", "agents/b"); err != nil || all != 3 || len(list) != 1 || list[0].Subject != "another agent's" {
		t.Errorf("the first change of two folders is %+v of %d, %v", list, all, err)
	}
	if c, all, err := b.repo.Changes(ctx, first, last, 5, "agents/b"); err != nil || all != 0 {
		t.Errorf("an agent without a change has %+v, %v", c, err)
	}
	if c, all, err := b.repo.Changes(ctx, last, last, 5, "agents/a"); err != nil || all != 0 {
		t.Errorf("no commit in between, and yet %+v, %v", c, err)
	}
	for _, bad := range [][2]string{{"--output=x", last}, {start, "HEAD"}, {"", last}} {
		if _, _, err := b.repo.Changes(ctx, bad[0], bad[1], 5, "agents/a"); err == nil {
			t.Errorf("%q is taken for commits", bad)
		}
	}
}
