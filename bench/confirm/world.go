package confirm

import (
	"context"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Store stores the entries of one agent.
type Store interface {
	// Entries returns all entries of the agent, in order.
	Entries(ctx context.Context) ([]Entry, error)
	// Enter stores a new entry and returns it with its number. A variant enters only once
	// in a run: a second call returns the stored entry.
	Enter(ctx context.Context, e Entry) (Entry, error)
	// Put updates an entry.
	Put(ctx context.Context, e Entry) error
}

// Exposure is one use of the holdout: an evaluation of the variants in Run, with Repeats
// consecutive repeat numbers starting at First.
type Exposure struct {
	Run            string
	Variants       []agent.ConfigID
	First, Repeats int
}

// Ledger records the uses of the holdout.
type Ledger interface {
	// Exposures returns the exposures of the agent, in order.
	Exposures(ctx context.Context) ([]Exposure, error)
	Expose(ctx context.Context, e Exposure) error
}

// Block is one block to evaluate. The variant is evaluated once on every holdout task, and
// so is the champion unless Alone reports that the champion's half exists already.
type Block struct {
	Variant, Champion agent.ConfigID
	Repeat            int
	Alone             bool
	// Place is the number of confirmation evaluations made earlier in this run.
	Place int
}

// Evidence is the evidence of an entry from complete blocks.
type Evidence interface {
	// Blocks returns the number of complete blocks in total and in the current run.
	Blocks() (all, tonight int)
	// Differences returns the differences of the pairs; variance is the variance of a
	// single difference.
	Differences(variance float64) stats.Differences
	// Judge rules on the evidence as [stats.Judge] does, with the world's guards added to
	// the rule.
	Judge(variant string, rule stats.Rule) stats.Ruling
}

// Runner evaluates blocks and returns the evidence.
type Runner interface {
	// Run evaluates a block. The error is the one that ended the run, if any; the
	// evaluations made before the error count.
	Run(ctx context.Context, b Block) error
	// Evidence returns all evidence of an entry.
	Evidence(ctx context.Context, e Entry) (Evidence, error)
}

// World is the environment of a confirmation. All fields are required.
type World struct {
	Store  Store
	Ledger Ledger
	Runner Runner
	// Fits reports whether the remaining money and time suffice for the given number of
	// evaluations.
	Fits func(evaluations int) bool
	// Stop returns the reason why no further variant may enter, such as a person's request
	// or a limit, or nil if there is none.
	Stop func() error
	Now  func() time.Time
}
