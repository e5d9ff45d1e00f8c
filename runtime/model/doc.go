// Package model defines the Model interface of the bounded loop and the built-in
// heuristic model: a deterministic planner that needs no key and no network.
//
// # What the heuristic can do
//
// It reads the goal, the recalled memories, the earlier turns (only when the goal
// has a cue such as "earlier", "you said", "remember", "last time") and the
// results of tool calls; everything it finds becomes evidence with a score in
// [0,1] (how much of the goal's content it covers), and the best evidence at or
// above .5 is the answer. Evidence of .8 or more ends the search for more. Without
// any it answers "unknown" with the outcome low_utility. It works in English, on
//
//   - precedents: when recalled memories carry an Answer, it answers by vote,
//     weighted by score, before anything else (classification by recall);
//   - facts in memories, turns and files: "key: value" lines (with the Markdown
//     heading or YAML section above them as context), sentences ("X is Y"), the
//     tables of .csv, .tsv and Markdown: a cell by row and column, the row with the
//     highest or lowest value ("which service has the highest cost"), the total,
//     average or number of rows, filtered by cell values ("total amount of open
//     orders in orders.csv");
//   - finding: a file named in the goal is read; without one it greps for the
//     goal's most specific words; "which file mentions …", "how many lines mention
//     …", "list the files in …", "how many .md files";
//   - arithmetic: expressions, percentages ("15% of 80"), words ("12 plus 30
//     times 2", "the average of 3, 4 and 8", "the square root of 144"). With the
//     tool calculate it is exact; without it, it calculates strictly from
//     left to right, in whole numbers;
//   - time: the time, date, weekday; the days until or since a date;
//   - Go repositories: which file defines a symbol (grep); who imports a package,
//     what it imports, cycles, orphans, core modules (dependency_map); the functions
//     and types of a file, how many of them (file_summary); lines of code and entry
//     points (repo_index). The three repository tools are not in
//     the default selection; enable_tool activates one at the cost of an iteration;
//   - composite goals, when the turn decomposes them: "compare A and B by X",
//     "which is cheaper, A or B", "find …, then …" (an "it", "its", "their", "that"
//     in a later step refers to the result of the step before), "first …, then …";
//   - requests that no tool can do (browse, mail, call, buy, deploy, delete, weather,
//     live prices, pictures): it refers them, with the outcome wrong_tool_boundary,
//     when the goal begins with such a demand.
//
// A tool is tried when pattern_weight × how well the goal fits its pattern +
// performance_weight × its usefulness in the domain (.5 without history, .8 in
// the domains it declares) reaches the cutoff; the best one comes first.
//
// The form of the answer, unless a directive overrides it: the number for "how
// many" and "how much", the date for "when", the name for "who", the value of a "key:
// value" line or table cell, the result of a tool, otherwise the whole sentence;
// lists are joined with ", " in the order found.
//
// # Directives
//
// The strategy text holds one directive a line; any may end in "in DOMAIN" (or
// "for DOMAIN"). The last line about a setting wins, and one for the domain
// over one without. Unknown lines have no effect and are recorded in the transcript.
//
//	answer: value only         the shortest span: the side of "is" without the goal's words
//	answer: full sentence      the whole line or sentence with the evidence
//	answer: number only        the first number of the answer, without unit and thousands separators
//	dates: iso                 dates in the answer as 2006-01-02
//	numbers: round to N        decimals, 0 to 6
//	lists: sorted              list items in alphabetical order
//	lists: one per line        instead of joined with ", "
//	count: distinct            "how many" counts different items (files, values), not matches
//	case: lower                the answer in lower case
//	combine: last              of a decomposed goal, only the last finding is the answer
//	combine: all               all findings, joined with "; "
//	vote: nearest              the answer of the nearest precedent instead of a vote
//	trust newest               of competing evidence the newest wins (time of the memory, date in the
//	                           text, later line), instead of the best match
//	trust files first          evidence from files comes before that of memories, which no longer end the search
//	trust memory first         evidence of memories comes before that from files
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
//	follow references          when the evidence contains "see FILE", "described in FILE" or "moved to FILE",
//	                           read that file, at the cost of an iteration
//	check earlier turns        earlier turns are evidence even without a cue
//	prefer TOOL                the tool's score is .3 higher
//	avoid TOOL                 the tool's score is multiplied by .3
//	never TOOL                 the tool is not called
package model
