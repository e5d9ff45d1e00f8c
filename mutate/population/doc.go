// Package population implements a search over programs: a population of variants that are
// texts of marked blocks, with staged evaluation. It implements [mutate.Searcher], so that
// a night runs it like the search over configs.
//
// The search over configs models how parameters relate to scores. Texts of code have no
// such relation, but mutants are cheap, and most of them are bad at first sight. The
// search therefore works as follows.
//
//   - All variants run the search cases in the same random order, so that each is compared
//     with the champion on the same cases. A new variant gets the first stage of them, and
//     the next stage only while it may be better than the leader (successive halving
//     without a barrier; Jamieson and Talwalkar 2016, Li et al. 2020).
//   - The first three cases are a probe. A variant that fails on the first or is far worse than
//     the champion there gets no more, and neither does one that scores on all three exactly
//     like one that is not larger. Of the others the most promising gets its further cases first.
//   - The gain of a variant is the mean of its paired differences to the champion, shrunk
//     towards 0 under a normal prior. Few cases, and differences that vary much, thus count
//     little.
//   - Parents are selected by package selection within islands (Tanese 1989; Romera-Paredes
//     et al. 2024), which exchange their best variants from time to time. Operators are
//     chosen by the bandit of package operator.
//   - Language models write variants too, if there are any: a brief names a parent, a
//     block, cases that it does badly, the best texts of other islands, and what became
//     of earlier drafts. The bandit of the operators decides between models and operators,
//     and others choose the block, the route and the wording by the gains of the drafts.
//   - Of variants with the same scores on the first stage, only the smallest is a parent.
//     Most changes of a program change nothing that it does, and others would pile up in
//     code that is never reached.
//   - A variant whose normal form was tried before is not paid again.
//   - Evaluations of earlier nights, discounted, make the population at the start.
//
// The package runs nothing and writes nothing.
package population
