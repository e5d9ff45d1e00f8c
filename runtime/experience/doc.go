// Package experience keeps what the turns of an agent in use have shown.
//
// An [Experience] is a value of one agent: a capsule for each tool, method and domain; the
// agent's competence by domain; its stated confidence beside its success; what people
// corrected; and the feedback that people gave on purpose, which outweighs everything else.
// [Experience.Learn] adds a turn. All other methods read, and may be called from many
// goroutines while nothing is added.
//
// An Experience depends only on the turns and the feedback in their order, so the same
// history gives the same bytes as JSON. Every part is bounded, and its texts are without
// credentials, as those of the turns are. Evaluations add nothing to it: a night reads the
// value that was stored at its start.
//
//	calls.go       the calls in a transcript
//	referred.go    the calls that a turn's referral concerns
//	capsule.go     what a tool did in a domain
//	usefulness.go  how useful that makes it
//	recency.go     the weight of its calls by their week
//	limits.go      the bounds of competence and usefulness that are reached now
//	signal.go      what a message of a user means for the turn before it
//	clause.go      a message as the rules for that read it
//	rules.go       the patterns of these rules
//	apply.go       their application to a message
//	approval.go    the request that follows an approval in one message
//	competence.go  the agent's competence by domain
//	calibration.go its confidence against its success
//	correction.go  what people corrected
//	knowledge.go   the text on competence and tools that the agent can ask for
//	feedback.go    what people want of a tool
//	scope.go       the calls that a feedback applies to
//	standing.go    the feedback that has an effect on a call, where several apply
//	weigh.go       the effect of feedback on a score
//	wanted.go      feedback for programs, and calls that ignored it
//	conflict.go    feedback that contradicts other feedback, and prohibitions to suggest
//	signature.go   groups of equal failures
//	boundary.go    clusters of boundary axes, and warnings of low cohesion
//	known.go       the summary of tools that a prompt gets
//	snapshot.go    the part that evaluations read
//	lessons.go     when a night makes lessons of the turns, and what stays of them
//	period.go      what the turns of a period have shown
//	way.go         the strategies that worked in a domain
//	findings.go    strengths, weaknesses and adjustments that follow from it
//	lessontext.go  the lessons as EVAL_FEEDBACK.md
//	told.go        the advice of the lessons, without a word of people, tools and models
//	valid.go       the check of an Experience that comes from elsewhere
//	forget.go      the removal of a conversation's texts
package experience
