package archive

import (
	"time"

	"evolve/bench/stats"
)

// Watch describes how the active config has developed over the nights up to a run. It is
// computed after the verdict, and no verdict rests on it.
type Watch struct {
	// Scores are the scores of the active config on search tasks in this run.
	Scores []TaskScores `json:"scores,omitempty"`
	// Replaced holds the scores of the config that the latest adoption replaced; see
	// [AgentPlan].
	Replaced []TaskScores `json:"replaced,omitempty"`
	// Models identifies everything outside the agent's folder that affects the agent's
	// answers: its models, its tool servers and the policies. It is empty in results from
	// an older version of evolve.
	Models string `json:"models,omitempty"`
	// Learned identifies the experience of the agent's live turns, without the feedback of
	// people. It is empty for an agent that reads no experience, and in results from an
	// older version of evolve.
	Learned string `json:"learned,omitempty"`
	// Nights counts the nights that were compared, this one included.
	Nights int `json:"nights"`
	// Fall is a fall in the scores that the latest nights show; it is nil if there is none.
	Fall *Fall `json:"fall,omitempty"`
	// Adopted is the comparison of the latest adoption with its prediction; it is nil if
	// there was no adoption.
	Adopted *AdoptedWatch `json:"adopted,omitempty"`
	// Changed is a change to the active config or its agent that happened since the
	// previous night and did not come from a decision; it is nil if there was none.
	Changed *ActiveChange `json:"changed,omitempty"`
}

// TaskScores are the scores of one task in one night.
type TaskScores struct {
	Task string `json:"task"`
	// Digest is the hash of the task's request and its grading, so that later nights
	// compare the same task; it is empty in results from an older version of evolve.
	Digest string    `json:"digest,omitempty"`
	Scores []float64 `json:"scores"`
}

// Fall is a fall in the active config's scores, together with the changes before it.
type Fall struct {
	stats.Shift
	ActiveChange
}

// ActiveChange describes the changes between two nights.
type ActiveChange struct {
	// Last is the start of BeforeRun, and Since is the start of AfterRun.
	BeforeRun string    `json:"before_run"`
	AfterRun  string    `json:"after_run"`
	Last      time.Time `json:"last"`
	Since     time.Time `json:"since"`
	// Params are the parameters whose values differ. Files reports whether other files in
	// the agent's folder differ, Models whether its models, tool servers or policies do,
	// and Evolve whether the binary of evolve does.
	Params []string `json:"params,omitempty"`
	Files  bool     `json:"files,omitempty"`
	Models bool     `json:"models,omitempty"`
	Evolve bool     `json:"evolve,omitempty"`
	// Learned reports whether evaluations in the two nights read different experience
	// from live turns.
	Learned bool `json:"learned,omitempty"`
	// Acts are the actions of people between the two nights, other than commits, the
	// earliest first.
	Acts []Act `json:"acts,omitempty"`
	// Proposal is the agent's latest proposal on which a person decided between the two
	// nights.
	Proposal string `json:"proposal,omitempty"`
	// Commit is the first commit between the two nights that changed the agent's folder or,
	// for Models, evolve.yaml; it is nil if there was none.
	Commit *CommitBrief `json:"commit,omitempty"`
	// Further lists the later commits that changed the agent's folder or, for Models,
	// evolve.yaml, the earliest first, and Unlisted is the number of such commits that no
	// field lists.
	Further  []CommitBrief `json:"further,omitempty"`
	Unlisted int           `json:"unlisted,omitempty"`
	// Versioned reports whether both nights had a commit, so that a value for Commit
	// could be looked for.
	Versioned bool `json:"versioned,omitempty"`
}

// Any reports whether the agent itself changed: its parameters, the files in its folder, or
// its models, tool servers or policies.
func (c ActiveChange) Any() bool { return len(c.Params) > 0 || c.Files || c.Models }

// Act is an action of a person, other than a commit, that an agent's behaviour depends
// on.
type Act struct {
	// Kind is the kind of the act's entry in the ledger, such as feedback.add or
	// proposal.rollback.
	Kind string `json:"kind"`
	// ID is the id of the feedback or proposal, or the name of the tool. The field What
	// describes the act in untrusted text.
	ID   string    `json:"id,omitempty"`
	What string    `json:"what,omitempty"`
	By   string    `json:"by,omitempty"`
	Time time.Time `json:"time"`
	// Commit is the commit that executed an approval; it is empty if there was none.
	Commit string `json:"commit,omitempty"`
	// Live reports whether the act affects only live turns, so that no evaluation depends
	// on it.
	Live bool `json:"live,omitempty"`
}

// CommitBrief names a commit for people. Subject is untrusted text.
type CommitBrief struct {
	// Repository is the slash-separated folder of the commit's repository, relative to the
	// workspace; it is empty for the repository of the workspace itself.
	Repository string    `json:"repository,omitempty"`
	Hash       string    `json:"hash"`
	Subject    string    `json:"subject"`
	Time       time.Time `json:"time"`
}

// AdoptedWatch compares an adoption with its prediction.
type AdoptedWatch struct {
	stats.Adopted
	Proposal string `json:"proposal"`
	// Since is the start of the first night with the adoption.
	Since time.Time `json:"since"`
	// Predicted is the gain that the report of the adoption's run claimed, PredictedLo and
	// PredictedHi are the ends of its interval, and Claim is the subject of that claim. All
	// are zero if nothing was measured.
	Predicted   float64     `json:"predicted,omitempty"`
	PredictedLo float64     `json:"predicted_lo,omitempty"`
	PredictedHi float64     `json:"predicted_hi,omitempty"`
	Claim       stats.Claim `json:"claim,omitempty"`
	// Beside reports whether the nights that were compared measured both the adopted config
	// and the one that it replaced.
	Beside bool `json:"beside,omitempty"`
	// Crossed is the first night whose evidence against the adoption still holds; it is nil
	// if there was none before this night.
	Crossed *Crossing `json:"crossed,omitempty"`
	// Unchanged reports whether the files at the end of the night were still as the
	// adoption had left them, so that the adoption could be rolled back.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Claimed returns the claimed interval of the gain on new tasks, or nil if none was
// claimed.
func (a *AdoptedWatch) Claimed() *stats.Interval {
	if a.Claim != stats.NewTasks {
		return nil
	}
	return &stats.Interval{Lo: a.PredictedLo, Hi: a.PredictedHi}
}

// Crossing is the night in which the evidence against an adoption reached the required
// level.
type Crossing struct {
	stats.Adopted
	Run   string    `json:"run"`
	Night time.Time `json:"night"`
}

// Disappoints reports whether this night or an earlier one showed that the adoption is
// worse than the config that it replaced, or that its gain is below the predicted interval.
func (a *AdoptedWatch) Disappoints() bool {
	return a != nil && (a.Adopted.Disappoints() || a.Crossed != nil)
}
