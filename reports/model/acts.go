package model

import (
	"slices"
	"strings"
	"time"

	"evolve/runtime/text"
)

// Act is an action of a person, other than a commit, on which an agent's behaviour depends.
type Act struct {
	Kind string `json:"kind"`
	// ID and What are untrusted text.
	ID   string    `json:"id,omitempty"`
	What string    `json:"what,omitempty"`
	By   string    `json:"by,omitempty"`
	Time time.Time `json:"time"`
	// Commit is the commit that executed an approval; it is empty if there is none.
	Commit string `json:"commit,omitempty"`
	// Live reports whether the act affects only live turns, so that no evaluation depends
	// on it.
	Live bool `json:"live,omitempty"`
}

// shownActs is the maximum number of acts that a sentence names.
const shownActs = 4

// words returns a description of an act, as in "feedback F1 added on 24 Nov: never
// calculate".
func (a Act) words() string {
	kind, verb, _ := strings.Cut(a.Kind, ".")
	done := map[string]string{
		"add": "added", "remove": "removed", "approve": "approved", "rollback": "rolled back", "raise": "raised", "lower": "lowered",
		"share": "shared", "unshare": "no longer shared", "quarantine": "put in quarantine", "release": "released",
	}[verb]
	switch kind {
	case "autonomy":
		kind = "autonomy level"
	case "proposal":
		kind = ""
	}
	words := strings.Join(slices.DeleteFunc([]string{kind, a.ID, done, "on", day(a.Time)}, func(s string) bool { return s == "" }), " ")
	if a.What != "" {
		words += ": " + a.What
	}
	return words
}

// measured returns the acts on which evaluations depend, except those whose commit is
// already named.
func (c ActiveChange) measured() []Act {
	return slices.DeleteFunc(slices.Clone(c.Acts), func(a Act) bool {
		named := c.Commit != nil && a.Commit == c.Commit.Hash || slices.ContainsFunc(c.Further, func(k Commit) bool { return k.Hash == a.Commit })
		return a.Live || a.Commit != "" && named
	})
}

// live returns a description of the acts on which no evaluation depends, or "" if there are
// none.
func (c ActiveChange) live() string {
	var words []string
	for _, a := range c.Acts {
		if a.Live && len(words) < shownActs {
			words = append(words, a.words())
		}
	}
	return strings.Join(words, "; ")
}

// candidates returns the number of changes that may have caused a difference in the scores.
// A new version of evolve and live turns count only alongside a change that a person made.
func (c ActiveChange) candidates() int {
	n := len(c.measured()) + len(c.Further) + c.Unlisted
	decided := slices.ContainsFunc(c.measured(), func(a Act) bool { return strings.HasPrefix(a.Kind, "proposal.") })
	if c.Commit != nil || !decided && (len(c.Params) > 0 || c.Files || c.Models) { // a decision is counted already, and the decision itself changed the files
		n++
	}
	if n > 0 && c.Evolve {
		n++
	}
	if n > 0 && c.Learned {
		n++
	}
	return n
}

// feedback reports whether the acts on which evaluations depend include feedback.
func (c ActiveChange) feedback() bool {
	return slices.ContainsFunc(c.measured(), func(a Act) bool { return strings.HasPrefix(a.Kind, "feedback.") })
}

// command returns the command that shows the acts on which evaluations depend. If
// feedback is among these acts, the command lists the feedback; otherwise it shows the
// commit. The result is "" if there is neither feedback nor a commit.
func (c ActiveChange) command(agentID string) string {
	switch {
	case c.feedback():
		return "evolve feedback list " + agentID
	case c.Commit != nil:
		return text.GitShow(c.Commit.Repository, c.Commit.Short())
	}
	return ""
}
