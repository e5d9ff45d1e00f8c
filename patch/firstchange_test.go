package patch

import (
	"context"
	"testing"
)

func TestFirstChange(t *testing.T) {
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
	c, there, err := b.repo.FirstChange(ctx, start, last, "agents/a")
	if err != nil || !there || c.Commit != first || c.Subject != "make it bold" || c.Time.UTC().Format("2 Jan 15:04") != "14 Nov 07:00" {
		t.Errorf("the first change is %+v, %t, %v; want %s", c, there, err, first)
	}
	if c, there, err := b.repo.FirstChange(ctx, first, last, "agents/b"); err != nil || there {
		t.Errorf("an agent without a change has %+v, %v", c, err)
	}
	if c, there, err := b.repo.FirstChange(ctx, last, last, "agents/a"); err != nil || there {
		t.Errorf("no commit in between, and yet %+v, %v", c, err)
	}
	for _, bad := range [][2]string{{"--output=x", last}, {start, "HEAD"}, {"", last}} {
		if _, _, err := b.repo.FirstChange(ctx, bad[0], bad[1], "agents/a"); err == nil {
			t.Errorf("%q is taken for commits", bad)
		}
	}
}
