// Package mutate owns the search: it is asked for the next evaluation and told its
// result. It sees the archive only through [View], which cannot name a holdout task,
// and never knows how a task is run.
//
// The searcher believes in P(y = 1) = σ(ability of the config + easiness of the task)
// (Rasch 1960), with a Gaussian process for the abilities (package rasch), so that
// every evaluation says something of every config and variants are comparable that
// saw different tasks. A search goes as follows.
//
//   - The champion comes first, then the default and a Latin hypercube (McKay et al.
//     1979); evaluations of earlier nights, discounted, replace part of it.
//   - New variants are the best under mean + κ·sd of the model among random configs,
//     mutants and crossovers of the best, evolved further, with κ from 0 to 1.5; some
//     are children that operators made of parents by a selection, among which a
//     bandit chooses; some, with [Options.Author], are drafts of a language model.
//   - A new variant gets a few evaluations, which are a screen and no verdict, on tasks
//     that tell the most: by weight .3 + .7·4p(1 − p), none twice before all were seen.
//   - A share of the evaluations goes to leaders by top-two Thompson sampling from
//     their joint posterior (Russo 2020), and so do the last of the budget. The
//     champion keeps up with them, on the same tasks.
//   - The model is fitted anew by penalised quasi-likelihood (Breslow & Clayton 1993)
//     whenever what was told has grown by a share. What was asked and not told is
//     imputed, so nothing waits for anything.
//   - The recommendation has the highest posterior mean less half its standard
//     deviation; the champion stays unless the lead over it is evident.
//   - Beside all this runs plain random search with re-evaluation on a share of the
//     budget: it teaches the model and learns nothing from it.
//
// Where a repeat would only repeat itself ([Options.MaxRepeats] 1), a score that was
// seen is certain, and a small space is gone through to its end.
package mutate
