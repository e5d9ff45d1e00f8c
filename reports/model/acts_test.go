package model

import (
	"testing"
	"time"

	"evolve/archive"
)

// TestCausesOfAFall tests that a fall is blamed on a change only if it is the only change.
func TestCausesOfAFall(t *testing.T) {
	at := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	commit := &archive.CommitBrief{Hash: "0123456789abcdef", Subject: "harmless", Time: at}
	added := archive.Act{Kind: "feedback.add", ID: "F1", What: "never calculate", Time: at}
	live := archive.Act{Kind: "autonomy.lower", What: "2 to 1", Time: at, Live: true}
	for name, c := range map[string]struct {
		change        archive.ActiveChange
		want, command string
	}{
		"nothing": {archive.ActiveChange{Versioned: true}, "none of your commits changed the agent, so the cause is the provider or the data", ""},
		"live turns": {
			archive.ActiveChange{Versioned: true, Learned: true, Evolve: true},
			"none of your commits changed the agent, so the cause is the provider or the data, or the experience from its live turns, or the new version of evolve", "",
		},
		"a level":  {archive.ActiveChange{Acts: []archive.Act{live}}, "neither its config nor its files changed, so the cause is the provider or the data", ""},
		"a commit": {archive.ActiveChange{Versioned: true, Commit: commit, Params: []string{"k"}}, "commit 0123456789ab “harmless” of 14 Nov; k changed", "git show 0123456789ab"},
		"a commit of a target": {
			archive.ActiveChange{Versioned: true, Commit: &archive.CommitBrief{Repository: "../a b", Hash: commit.Hash, Subject: "harmless", Time: at}},
			"commit 0123456789ab “harmless” of 14 Nov", "git -C '../a b' show 0123456789ab",
		},
		"feedback": {archive.ActiveChange{Versioned: true, Acts: []archive.Act{added}}, "feedback F1 added on 14 Nov: never calculate", "evolve feedback list clerk"},
		"both": {
			archive.ActiveChange{Versioned: true, Commit: commit, Params: []string{"k"}, Acts: []archive.Act{added, live}},
			"commit 0123456789ab “harmless” of 14 Nov; k changed; feedback F1 added on 14 Nov: never calculate; any of these may be the cause", "evolve feedback list clerk",
		},
		"two commits": {
			archive.ActiveChange{Versioned: true, Commit: commit, Further: []archive.CommitBrief{{Hash: "fedcba9876543210", Subject: "bad", Time: at}}, Unlisted: 2, Files: true},
			"commit 0123456789ab “harmless” of 14 Nov; commit fedcba987654 “bad” of 14 Nov; 2 further commits; files in its folder changed; any of these may be the cause", "git show 0123456789ab",
		},
		"a commit and live turns": {
			archive.ActiveChange{Versioned: true, Commit: commit, Files: true, Learned: true},
			"commit 0123456789ab “harmless” of 14 Nov; files in its folder changed; the experience from its live turns; any of these may be the cause", "git show 0123456789ab",
		},
		"an adoption with its commit": {
			archive.ActiveChange{Versioned: true, Commit: commit, Files: true, Acts: []archive.Act{{Kind: "proposal.approve", ID: "P3", What: "a tool", Time: at, Commit: commit.Hash}}},
			"commit 0123456789ab “harmless” of 14 Nov; files in its folder changed", "git show 0123456789ab",
		},
		"a rollback": {
			archive.ActiveChange{Files: true, Acts: []archive.Act{{Kind: "proposal.rollback", ID: "P3", What: "a tool", Time: at}}},
			"files in its folder changed; P3 rolled back on 14 Nov: a tool", "",
		},
	} {
		got := change("clerk", c.change)
		if got.cause() != c.want || got.Command != c.command {
			t.Errorf("%s: %q, command %q", name, got.cause(), got.Command)
		}
	}
	w := Watch{Changed: &ActiveChange{Acts: change("clerk", archive.ActiveChange{Acts: []archive.Act{added, live}}).Acts}}
	changes := w.Changes()
	if len(changes) != 3 || changes[1].Name != "feedback" || changes[2].Text != "autonomy level lowered on 14 Nov: 2 to 1; no evaluation uses it" {
		t.Errorf("%+v", changes)
	}
}
