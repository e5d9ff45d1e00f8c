// Package ablation reduces a finalist: changes without a shown effect are reverted, by
// the evidence of the search and by comparisons on the search tasks, until each remaining
// change helps; the result includes the effect of each. It is driven like a search, by
// Ask and Tell, and writes nothing.
package ablation
