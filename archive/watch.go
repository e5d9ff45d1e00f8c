package archive

import (
	"time"

	"evolve/bench/stats"
)

// Watch describes the development of the active config over the nights up to a run. It is
// computed after the verdict, and no verdict rests on it.
type Watch struct {
	// Scores are the scores of the active config on search tasks in this run.
	Scores []TaskScores `json:"scores,omitempty"`
	// Replaced are the scores of the config that the latest adoption replaced; see the
	// plan.
	Replaced []TaskScores `json:"replaced,omitempty"`
	// Models identifies everything outside of the agent's folder that affects its answers:
	// its models, its servers of tools and the policies; empty from an older evolve.
	Models string `json:"models,omitempty"`
	// Learned identifies the experience of the agent's live turns, without the feedback
	// of people; empty for an agent that reads none, and from an older evolve.
	Learned string `json:"learned,omitempty"`
	// Nights counts the nights that were compared, this one included.
	Nights int `json:"nights"`
	// Fall is a fall that the latest nights show; nil for none.
	Fall *Fall `json:"fall,omitempty"`
	// Adopted is the comparison of the latest adoption with its prediction; nil without one.
	Adopted *AdoptedWatch `json:"adopted,omitempty"`
	// Changed is a change of the active config or its agent since the night before that
	// did not come from a decision; nil for none.
	Changed *ActiveChange `json:"changed,omitempty"`
}

// TaskScores are the scores of one task in one night.
type TaskScores struct {
	Task string `json:"task"`
	// Digest is the hash of the task's request and its grading, so that later nights
	// compare the same task; empty from an older evolve.
	Digest string    `json:"digest,omitempty"`
	Scores []float64 `json:"scores"`
}

// Fall is a fall of the active config's scores, and what happened before it.
type Fall struct {
	stats.Shift
	ActiveChange
}

// ActiveChange describes the changes between two nights.
type ActiveChange struct {
	// Last is the start of the first run, and Since the start of the second.
	BeforeRun string    `json:"before_run"`
	AfterRun  string    `json:"after_run"`
	Last      time.Time `json:"last"`
	Since     time.Time `json:"since"`
	// Params are the parameters whose values differ. Files reports whether other files of
	// the agent's folder differ, Models whether its models, servers of tools or policies do,
	// and Evolve whether the binary of evolve does.
	Params []string `json:"params,omitempty"`
	Files  bool     `json:"files,omitempty"`
	Models bool     `json:"models,omitempty"`
	Evolve bool     `json:"evolve,omitempty"`
	// Learned reports whether the experience of live turns, which evaluations read,
	// differs.
	Learned bool `json:"learned,omitempty"`
	// Acts are the actions of people in between other than commits, the earliest first.
	Acts []Act `json:"acts,omitempty"`
	// Proposal is the agent's latest proposal that a person decided in between.
	Proposal string `json:"proposal,omitempty"`
	// Commit is the first commit in between that changed the agent's folder or, for Models,
	// evolve.yaml; nil for none.
	Commit *CommitBrief `json:"commit,omitempty"`
	// Further are the later such commits, the earliest first, and Unlisted is the number of
	// further ones in neither field.
	Further  []CommitBrief `json:"further,omitempty"`
	Unlisted int           `json:"unlisted,omitempty"`
	// Versioned reports whether both nights had a commit, so that Commit was searched
	// for.
	Versioned bool `json:"versioned,omitempty"`
}

// Any reports whether the agent itself differs after the change.
func (c ActiveChange) Any() bool { return len(c.Params) > 0 || c.Files || c.Models }

// Act is an action of a person, other than a commit, that an agent's behaviour depends
// on.
type Act struct {
	// Kind is that of its entry in the ledger, such as feedback.add or proposal.rollback.
	Kind string `json:"kind"`
	// ID names the feedback, proposal or tool, and What describes it: foreign text.
	ID   string    `json:"id,omitempty"`
	What string    `json:"what,omitempty"`
	By   string    `json:"by,omitempty"`
	Time time.Time `json:"time"`
	// Commit is the commit that executed an approval; empty for none.
	Commit string `json:"commit,omitempty"`
	// Live reports whether the act affects live turns alone, so that no evaluation
	// depends on it.
	Live bool `json:"live,omitempty"`
}

// CommitBrief names a commit for people. Subject is foreign text.
type CommitBrief struct {
	// Repository is the slash-separated folder of its repository, relative to the workspace; empty
	// for that of the workspace.
	Repository string    `json:"repository,omitempty"`
	Hash       string    `json:"hash"`
	Subject    string    `json:"subject"`
	Time       time.Time `json:"time"`
}

// AdoptedWatch compares an adoption with its prediction.
type AdoptedWatch struct {
	stats.Adopted
	Proposal string `json:"proposal"`
	// Since is the start of the first night with it.
	Since time.Time `json:"since"`
	// Predicted is the gain that the report of its run claimed, PredictedLo and PredictedHi
	// its interval, and Claim the subject of that claim; zero if nothing was measured.
	Predicted   float64     `json:"predicted,omitempty"`
	PredictedLo float64     `json:"predicted_lo,omitempty"`
	PredictedHi float64     `json:"predicted_hi,omitempty"`
	Claim       stats.Claim `json:"claim,omitempty"`
	// Beside reports whether the compared nights measured both configs.
	Beside bool `json:"beside,omitempty"`
	// Crossed is the first night whose evidence against the adoption still holds; nil for
	// none before this night.
	Crossed *Crossing `json:"crossed,omitempty"`
	// Unchanged reports whether the files were still as the adoption left them when the
	// night ended, so that it could be rolled back.
	Unchanged bool `json:"unchanged,omitempty"`
}

// Claimed is the claimed interval of the gain on new tasks; nil where none was claimed.
func (a *AdoptedWatch) Claimed() *stats.Interval {
	if a.Claim != stats.NewTasks {
		return nil
	}
	return &stats.Interval{Lo: a.PredictedLo, Hi: a.PredictedHi}
}

// Crossing is the night in which the evidence against an adoption reached the level.
type Crossing struct {
	stats.Adopted
	Run   string    `json:"run"`
	Night time.Time `json:"night"`
}

// Disappoints reports whether this night or an earlier one showed that the adoption is worse
// than the config that it replaced, or below the interval that was predicted.
func (a *AdoptedWatch) Disappoints() bool {
	return a != nil && (a.Adopted.Disappoints() || a.Crossed != nil)
}
