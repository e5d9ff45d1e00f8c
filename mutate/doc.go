// Package mutate implements the search: it proposes the next evaluation and receives its
// result. It reads the archive only through [View], which cannot name a holdout task, and
// does not depend on how tasks are run.
//
// The model is P(y = 1) = σ(ability of the config + easiness of the task) (Rasch 1960),
// with a Gaussian process for the abilities (package irt), so that every evaluation is
// information on every config, and variants evaluated on different tasks are comparable.
// A search works as follows.
//
//   - The champion comes first, followed by the default and a Latin hypercube (McKay et al.
//     1979); evaluations of earlier nights, discounted, replace part of it.
//   - Tonight's results are tested for whether they are likelier with those of an earlier
//     night or without. A night that does not hold is left out of the model, and the part of
//     the hypercube that it replaced is evaluated after all.
//   - New variants are the best under mean + κ·sd of the model among random configs,
//     mutants and crossovers of the best, refined further, with κ from 0 to 1.5; some are
//     children of selected parents by operators, which a bandit chooses; some, with
//     [Options.Author], are drafts of a language model.
//   - A new variant gets a few evaluations as a screen, on the most informative tasks: by
//     weight .3 + .7·4p(1 − p), none twice before all were used.
//   - A share of the evaluations goes to leaders by top-two Thompson sampling from
//     their joint posterior (Russo 2020), and so does the last part of the budget, where
//     two of them are left. The champion keeps up with them, on the same tasks. In a small
//     space a part goes to the variants that are the best by their own results.
//   - The model is refitted by penalised quasi-likelihood (Breslow & Clayton 1993)
//     whenever the number of results has grown by a share. Pending results are imputed,
//     so that no evaluation waits for another.
//   - The recommendation has the highest posterior mean minus half its standard
//     deviation; the champion stays unless the evidence of a lead over it suffices.
//   - Plain random search with re-evaluation runs on a share of the budget: its results
//     feed the model, but it does not use the model.
//
// Where repeats are identical ([Options.MaxRepeats] 1), an observed score is certain, and
// a small space is searched exhaustively.
package mutate
