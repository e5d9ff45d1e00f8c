// Package mutate implements the search: it proposes the next evaluation and receives its
// result. It reads the archive only through [View], which cannot name a holdout task, and
// does not depend on how tasks are run.
//
// The model is P(y = 1) = σ(ability of the config + easiness of the task) (Rasch 1960),
// with a Gaussian process for the abilities (package irt). Every evaluation therefore gives
// information about every config, and variants that were evaluated on different tasks can
// be compared. A search works as follows.
//
//   - The champion comes first, followed by the default and a Latin hypercube (McKay et al. 1979); evaluations from earlier nights, discounted, replace part of the hypercube.
//   - Each earlier night is tested by whether tonight's results are more likely with that night's results or without them. A night that fails the test is left out of the model, and the part of the hypercube that it replaced is evaluated after all.
//   - New variants are the configs with the highest mean + κ·sd under the model, with κ from 0 to 1.5. They are selected from random configs and from mutants and crossovers of the best variants, and then refined. Some new variants are instead children of selected parents, made by operators that a bandit chooses, and some, with [Options.Author], are drafts by a language model.
//   - A new variant is screened by a few evaluations on the most informative tasks: the tasks are drawn with weight .3 + .7·4p(1 − p), and no task is used twice before all have been used.
//   - A share of the evaluations goes to the leaders, which are chosen by top-two Thompson sampling from their joint posterior (Russo 2020). So does the last part of the budget, when only two leaders are left. The champion keeps up with them, on the same tasks. In a small space, some of these evaluations go to the variants that are best by their own results.
//   - The model is refitted by penalised quasi-likelihood (Breslow & Clayton 1993) whenever the number of results has grown by a certain share. Pending results are imputed, so no evaluation waits for another.
//   - The recommendation is the variant with the highest posterior mean minus half its standard deviation; the champion stays unless there is enough evidence of a lead over it.
//   - A plain random search with re-evaluation runs on a share of the budget: its results are part of the model's data, but it does not use the model.
//
// If repeats are identical ([Options.MaxRepeats] is 1), an observed score is certain, and a
// small space is searched exhaustively.
package mutate
