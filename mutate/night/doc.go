// Package night runs one agent's night: the comparison of the champion with itself, the
// search, the ablation of finalists and their confirmation. It takes a [Spec] and needs no
// workspace.
//
// It writes the agent's plan, variants, evaluations, candidates, exposures and result, the
// figures in the run's record that concern the agent, and ledger entries about drafts. All
// statistical decisions are made in bench/stats and bench/confirm. A confirmed variant goes
// to [Spec.Propose]; the package adopts nothing.
package night
