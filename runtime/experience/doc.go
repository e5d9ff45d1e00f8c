// Package experience stores what the turns of an agent in use have shown.
//
// An [Experience] belongs to one agent. It holds a capsule for each tool, method and
// domain; the agent's competence by domain; the confidence that its turns stated and
// whether they succeeded; what people corrected; and the feedback that people gave on
// purpose, which outweighs everything else. [Experience.Learn] adds a turn. Methods that
// only read may be called from many goroutines while nothing is changed.
//
// An Experience depends only on the turns, the feedback and their order, so the same
// history yields the same JSON bytes. Every part is limited in size, and its texts contain
// no credentials because the texts of the turns contain none. Evaluations add nothing to
// it: a night reads the Experience that was stored when it started.
//
//	calls.go       the calls in a transcript
//	referred.go    the calls that a turn's referral concerns
//	capsule.go     the results of a tool's calls in a domain
//	usefulness.go  how useful these results make the tool
//	recency.go     the weight of a tool's calls by week
//	limits.go      the limits of competence and usefulness that are now reached
//	signal.go      what a user's message means for the turn before it
//	clause.go      a message in the form to which the rules are applied
//	rules.go       the patterns of these rules
//	apply.go       the application of the rules to a message
//	approval.go    the request that follows an approval in one message
//	competence.go  the agent's competence by domain
//	calibration.go the agent's confidence compared with its success
//	correction.go  what people corrected
//	knowledge.go   the text on competence and tools that the agent can request
//	feedback.go    what people want of a tool
//	scope.go       the calls to which feedback applies
//	standing.go    the feedback that takes effect on a call if several entries apply
//	weigh.go       the effect of feedback on a score
//	wanted.go      feedback for programs, and calls that ignored it
//	conflict.go    feedback that contradicts other feedback, and prohibitions to suggest
//	signature.go   groups of equal failures
//	boundary.go    clusters of boundary axes, and warnings of low cohesion
//	known.go       the summary of tools for a prompt
//	snapshot.go    the part that evaluations read
//	lessons.go     when a night draws lessons from the turns, and how long they are retained
//	period.go      what the turns of a period have shown
//	way.go         the strategies that worked in a domain
//	findings.go    strengths, weaknesses and adjustments that follow from a period
//	lessontext.go  the lessons as EVAL_FEEDBACK.md
//	told.go        the advice from the lessons, without words from people, tools and models
//	valid.go       the validation of an Experience from outside
//	forget.go      the removal of a conversation's texts
package experience
