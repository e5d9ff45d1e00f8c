package model

import (
	"evolve/archive"
	"evolve/runtime/agent"
)

// Schema is the name and version of the JSON rendering's schema (schema.md). Fields may be
// added under the same version; a change in meaning needs a new version.
const Schema = "evolve.report/2"

// Report is the view model of one run. Scores and differences are in score units (a point
// is .01). Texts in it are foreign and raw; the renderings escape them. Everything except
// Volatile is determined by the plan, the seed and the answers.
type Report struct {
	Schema   string   `json:"schema"`
	Run      Run      `json:"run"`
	Agents   []Agent  `json:"agents"`
	Volatile Volatile `json:"volatile"`
}

// Run holds the settings of the run and how it ended.
type Run struct {
	ID        string           `json:"id"`
	Number    int              `json:"number"`
	State     archive.RunState `json:"state"`
	Reason    string           `json:"reason,omitempty"`
	Exit      int              `json:"exit"`
	Stages    []string         `json:"stages"`
	Selection string           `json:"selection"`
	// Policy is the version of the policies that applied to the run's calls.
	Policy        string  `json:"policy,omitempty"`
	Seed          int64   `json:"seed"`
	Lookahead     int     `json:"lookahead"`
	BudgetEvals   int     `json:"budget_evals,omitempty"`
	BudgetUSD     float64 `json:"budget_usd,omitempty"`
	BudgetSeconds float64 `json:"budget_seconds,omitempty"`
	Evaluations   int     `json:"evaluations"`
}

// Agent is the part of the run that concerns one agent.
type Agent struct {
	Agent     string     `json:"agent"`
	Decision  Decision   `json:"decision"`
	Headline  *Headline  `json:"headline,omitempty"`
	Finalists []Finalist `json:"finalists,omitempty"`
	Honesty   Honesty    `json:"honesty"`
	Curve     []Point    `json:"curve,omitempty"`
	// Front is the Pareto front of score, cost and time.
	Front []FrontPoint `json:"front,omitempty"`
	// Tried lists the tried variants with the most evaluations, after the champion and the
	// headline's variant.
	Tried []TriedPoint `json:"tried,omitempty"`
	// Drafts summarises the changes that language models proposed; it is nil if there are
	// none.
	Drafts *Drafts `json:"drafts,omitempty"`
	// Guards are the conditions, in addition to the score, that the headline's variant must
	// satisfy; the guard on latency is volatile.
	Guards []Guard `json:"guards,omitempty"`
	// Unjudged lists the guards that the settings contain but that were not judged.
	Unjudged []Unjudged `json:"unjudged,omitempty"`
	Usage    []Usage    `json:"usage,omitempty"`
	Domains  []Domain   `json:"domains,omitempty"`
	Tasks    []TaskPair `json:"tasks,omitempty"`
	// Failures counts the failed runs of the champion and of the variant; it is nil if
	// there is no comparison.
	Failures *Failures `json:"failures,omitempty"`
	// PassPowers holds pass^k of the champion and of the variant on these tasks; it is nil
	// if a task has only one repeat.
	PassPowers *PassPowers `json:"pass_powers,omitempty"`
	Details    []Detail    `json:"details,omitempty"`
	Changes    []Change    `json:"changes,omitempty"`
	// Lineage describes the origin of the headline's variant, and Hunks lists the hunks of
	// its change to searched code; see [Ancestor] and [Hunk].
	Lineage []Ancestor `json:"lineage,omitempty"`
	Hunks   []Hunk     `json:"hunks,omitempty"`
	// Influence estimates which parameters affect the score; it is nil for searched code.
	Influence *Influence `json:"influence,omitempty"`
	// Ablations describes how the finalists were reduced, starting with the headline's
	// variant.
	Ablations []Ablation `json:"ablations,omitempty"`
	// Candidates lists the entries into the confirmation to which this run added blocks,
	// and the entries from earlier nights that are still open.
	Candidates []Candidate `json:"candidates,omitempty"`
	Rejected   []Rejection `json:"rejected,omitempty"`
	// Heat contains the scores that the variants named in the report have on each search
	// task; it is nil if there are fewer than two such variants.
	Heat *Heat `json:"heat,omitempty"`
	// LeftOut lists the variants that were excluded from the confirmation because of a
	// proposal that waits or that a person rejected.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Unlisted is the number of rejected variants that are not listed.
	Unlisted int `json:"unlisted,omitempty"`
	// Contradiction describes how the stored evaluations contradict the stored result,
	// which is then left out of the report. It is empty if they agree, or if they were not
	// compared.
	Contradiction string     `json:"contradiction,omitempty"`
	Health        Health     `json:"health"`
	Provenance    Provenance `json:"provenance"`
}

// Ref identifies a variant: by a number for people (v37), and by an id for machines.
type Ref struct {
	ID     agent.ConfigID `json:"id"`
	Number int            `json:"number,omitempty"`
}
