// Package population implements a search over programs: a population of variants that are
// texts of marked blocks, evaluated in stages. It implements [mutate.Searcher], so a
// night runs it like the search over configs.
//
// The search over configs models how parameters relate to scores. Texts of code have no
// such relation to scores, but mutants are cheap, and a few cases show that most of them
// are bad. The search therefore works as follows.
//
//   - All variants run the search cases in the same random order, so that each is compared
//     with the champion on the same cases. A new variant gets the first stage of cases, and
//     the next stage only while it may be better than the leader (successive halving
//     without a barrier; Jamieson and Talwalkar 2016, Li et al. 2020).
//   - The first three cases are a probe. A variant that fails on the first case, or is far
//     worse than the champion on it, gets no further cases. Nor does a variant
//     that has exactly the same scores on all three as a variant that is not larger. Of the
//     remaining variants, the most promising gets its further cases first.
//   - The gain of a variant is the mean of its paired differences to the champion, shrunk
//     towards 0 under a normal prior. Results on few cases, and differences that vary much,
//     thus count for little.
//   - Parents are selected by package selection within islands (Tanese 1989; Romera-Paredes
//     et al. 2024), which exchange their best variants from time to time. Operators are
//     chosen by the bandit of package operator.
//   - Language models write variants, too, if any are configured. A brief names a parent, a
//     block, cases on which the parent does badly, the best texts of other islands, and the
//     outcomes of earlier drafts. The bandit of the operators decides between models and
//     operators, and other bandits choose the block, the route and the wording by the gains
//     of the drafts.
//   - Of variants with the same scores on the first stage, only the smallest is a parent.
//     Most changes to a program do not change what it does, and would accumulate in code
//     that is never reached.
//   - If a variant's normal form was tried before, the variant is not evaluated again.
//   - Variants from earlier nights, with discounted results, make up the population at the
//     start.
//
// The package runs nothing and writes nothing.
package population
