// Package model defines the Model interface of the bounded loop and the built-in heuristic
// model: a deterministic planner that needs no API key and no network.
//
// # What the heuristic can do
//
// It reads the goal, the recalled memories, the results of tool calls and, only if the goal
// has a cue such as "earlier", "you said", "remember" or "last time", the earlier turns.
// Everything that it finds becomes evidence with a score in [0,1], which states how much of
// the goal's content the evidence covers. The best evidence at or above .5 is the answer.
// Evidence of .8 or more ends the search. Without sufficient evidence it answers "unknown"
// with the outcome low_utility. It works in English, on
//
//   - precedents: if recalled memories carry an Answer, it answers by a vote weighted
//     by score, before anything else (classification by recall);
//   - facts in memories, turns and files: "key: value" lines (with the Markdown
//     heading or YAML section above them as context); sentences ("X is Y"); tables in
//     .csv, .tsv and Markdown: a cell by row and column, the row with the highest or
//     lowest value ("which service has the highest cost"), and the total, average or
//     number of rows, filtered by cell values ("total amount of open orders in
//     orders.csv");
//   - finding: it reads a file named in the goal; if none is named, it greps for the
//     goal's most specific words; "which file mentions …", "how many lines mention
//     …", "list the files in …", "how many .md files";
//   - arithmetic: expressions, percentages ("15% of 80"), words ("12 plus 30
//     times 2", "the average of 3, 4 and 8", "the square root of 144"). With the
//     tool calculate the result is exact; without it, the heuristic calculates strictly
//     from left to right, in whole numbers;
//   - time: the time, date and weekday; the days until or since a date;
//   - Go repositories: which file defines a symbol (grep); who imports a package,
//     what it imports, cycles, orphans, core modules (dependency_map); the functions
//     and types of a file and their number (file_summary); lines of code and entry
//     points (repo_index). The three repository tools are not in the default
//     selection; enable_tool activates one at the cost of an iteration;
//   - composite goals, if the turn decomposes them: "compare A and B by X",
//     "which is cheaper, A or B", "find …, then …" (an "it", "its", "their" or "that"
//     in a later step refers to the result of the step before), "first …, then …";
//   - requests that no tool can fulfil (browse, mail, call, buy, deploy, delete, weather,
//     live prices, pictures): if the goal begins with such a demand, it refers the
//     goal elsewhere with the outcome wrong_tool_boundary.
//
// A tool is tried if pattern_weight × how well the goal fits its pattern +
// performance_weight × its usefulness in the domain (.5 without history, .8 in the domains
// that it declares) reaches the cutoff; the best tool is tried first.
//
// The form of the answer, unless a directive overrides it, is the number for "how many" and
// "how much", the date for "when", the name for "who", the value of a "key: value" line or
// table cell, or the result of a tool; otherwise it is the whole sentence. Lists are joined
// with ", " in the order in which their items were found.
//
// # Directives
//
// The strategy text holds one directive per line; any directive may end in "in DOMAIN" (or
// "for DOMAIN"). The last line about a setting wins, and a line for the domain takes
// precedence over one without a domain. Unknown lines have no effect and are recorded in
// the transcript.
//
//	answer: value only         the shortest span: the side of "is" without the goal's words
//	answer: full sentence      the whole line or sentence with the evidence
//	answer: number only        the first number of the answer, without unit and thousands separators
//	dates: iso                 dates in the answer as 2006-01-02
//	numbers: round to N        decimals, 0 to 6
//	lists: sorted              list items in alphabetical order
//	lists: one per line        instead of joined with ", "
//	count: distinct            "how many" counts distinct items (files, values), not matches
//	case: lower                the answer in lower case
//	combine: last              for a decomposed goal, only the last finding is the answer
//	combine: all               all findings, joined with "; "
//	vote: nearest              the answer of the nearest precedent instead of a vote
//	trust newest               of competing evidence, the newest wins (time of the memory, date in the
//	                           text, later line) instead of the best match
//	trust files first          evidence from files precedes that from memories, which no longer end the search
//	trust memory first         evidence from memories precedes that from files
//	be strict                  evidence counts from .75
//	be lenient                 evidence counts from .3
//	when unsure: guess         without good evidence, answer with the best there is
//	when unsure: refer         without good evidence, the outcome is wrong_tool_boundary
//	when unsure: say TEXT      instead of "unknown"
//	refer early                any mention of something that no tool can do is referred
//	never refer                no goal is referred
//	verify arithmetic          sums over tables and word problems go through calculate, if it is active,
//	                           at the cost of an iteration
//	read before answering      a file in which grep found something is read in full (which shows table
//	                           headers and headings), at the cost of an iteration
//	follow references          if the evidence contains "see FILE", "described in FILE" or "moved to FILE",
//	                           that file is read, at the cost of an iteration
//	check earlier turns        earlier turns are evidence even without a cue
//	prefer TOOL                the tool's score is .3 higher
//	avoid TOOL                 the tool's score is multiplied by .3
//	never TOOL                 the tool is not called
package model
