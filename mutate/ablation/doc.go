// Package ablation reduces a finalist: it reverts changes whose effect is not shown, based
// on the evidence of the search and on comparisons on the search tasks, until each
// remaining change helps. The result includes the effect of each remaining change. Like a
// search, an ablation is driven by Ask and Tell. It writes nothing.
package ablation
