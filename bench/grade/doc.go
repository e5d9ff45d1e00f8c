// Package grade implements the graders: each turns one result of an agent into a score in
// [0,1], a pass and a reason. A grader that fails returns an error, which makes the
// evaluation missing data, never zero. Agent output is only data here: never a path, a
// pattern, a format or a shell word.
//
// A grader is an object with a type, the type's own fields below, and for every type weight
// (1), threshold, and not (false). "answer" may be one text or a list of accepted ones; it
// defaults to the task's answer.
//
//	type             own fields                          score
//	exact            answer, ignore_case, strict         1 when the same text
//	contains         answer, all, any, ignore_case       share of the conditions met
//	regex            pattern (RE2)                       1 when it matches somewhere
//	numeric          answer, tolerance, relative,        1 when the number is near enough
//	                 percent, pick
//	json_schema      schema                              1 when the JSON is valid under it
//	json_path        path, answer                        1 when what it selects equals answer
//	f1               answer                              token F1 as for SQuAD; passes at .5
//	rouge_l          answer                              ROUGE-L F1; passes at .5
//	set              answer                              F1 of the sets of items
//	tool_called      tool                                1 when the transcript has a call
//	tool_not_called  tool                                1 when it has none
//	tool_order       tools                               share of tools called in this order
//	outcome          outcome                             1 when it ended in (one of) these
//	max_cost         usd                                 1 when it cost no more
//	max_latency      seconds                             1 when it took no longer
//	command          argv, timeout (seconds), protocol   the program's score
//	reported         none                                the agent's own score; passes at .5
//	judge            route, rubric | criteria |          a judge model's grade; passes at .5
//	                 pairwise, reference, scale, samples
//
// A judge is a language model on a route of the workspace, by default on the default route.
// rubric is a text by which the answer is graded on scale: "pass/fail" or the ends of a
// range, such as "1-5", which is mapped to [0,1]. criteria is a list of {name, text,
// weight}, each graded on scale in one request; the score is their weighted mean. pairwise
// is a text by which the answer is compared with reference, or with the task's answer. The
// judge is asked in both orders, and the score is .5 if the two verdicts disagree. samples
// is the number of draws, 1 by default, whose mean is the score. The task, the answer and
// the reference are data in the request, which contains nothing about the variant, the
// stage or the run. A reply without the request's id or in another form is not a verdict;
// after three such replies the grader fails. Equal questions are asked once.
//
// A grader passes when its score reaches its threshold, which is 1 unless the table gives
// another; not changes score s to 1−s and inverts the pass. A task's score is the weighted
// mean of its graders' scores; the task passes when every grader does. A task without
// graders is graded by exact on its answer.
//
// For a result that cannot be graded (a crash, a timeout …) every score is 0 and not
// inverted, unless a grader of type outcome expects that outcome. The same holds for
// graders that read an answer when there is none, and for reported when there is no
// reported score.
//
// max_latency counts the time of the answer, as statistics of latency do. An answer whose
// time includes the start of a process passes, because its own time is not known.
//
// max_latency depends on the clock: with it, runs of an otherwise deterministic agent are
// not repeatable byte for byte.
package grade
