package confirm

import (
	"context"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Store keeps the entries of one agent.
type Store interface {
	// Entries are all that the agent ever had, in order.
	Entries(ctx context.Context) ([]Entry, error)
	// Enter stores a new entry and returns it with its number. A variant enters once in a
	// run: entered again, it is returned as it is stored.
	Enter(ctx context.Context, e Entry) (Entry, error)
	// Put stores what became of an entry.
	Put(ctx context.Context, e Entry) error
}

// Exposure is one opening of the holdout: Run was to evaluate the variants on it with
// Repeats repeat numbers from First on.
type Exposure struct {
	Run            string
	Variants       []agent.ConfigID
	First, Repeats int
}

// Ledger keeps the openings of the holdout.
type Ledger interface {
	// Exposures are those of the agent, in order.
	Exposures(ctx context.Context) ([]Exposure, error)
	Expose(ctx context.Context, e Exposure) error
}

// Block is one block to evaluate: the variant once on every holdout task, and the champion
// as well unless Alone says that its part is there.
type Block struct {
	Variant, Champion agent.ConfigID
	Repeat            int
	Alone             bool
	// Place counts the evaluations of the confirmation that this run made before it.
	Place int
}

// Evidence is what an entry has from complete blocks.
type Evidence interface {
	// Blocks counts the complete ones, tonight those of the current run.
	Blocks() (all, tonight int)
	// Differences are those of the pairs, variance being that of a single one.
	Differences(variance float64) stats.Differences
	// Judge rules on the evidence as [stats.Judge] does, with the guards that the
	// world adds to the rule.
	Judge(variant string, rule stats.Rule) stats.Ruling
}

// Runner evaluates blocks and reads what they gave.
type Runner interface {
	// Run evaluates a block. The error is what ended the run, if anything did; what was
	// evaluated before it counts.
	Run(ctx context.Context, b Block) error
	// Evidence reads all that an entry has.
	Evidence(ctx context.Context, e Entry) (Evidence, error)
}

// World is where a confirmation takes place. All of it is required.
type World struct {
	Store  Store
	Ledger Ledger
	Runner Runner
	// Fits reports whether the money and the time that are left suffice for so many
	// evaluations.
	Fits func(evaluations int) bool
	// Stop is the reason why no further variant may enter, because a person or a limit wants the run
	// to end; nil while there is none.
	Stop func() error
	Now  func() time.Time
}
