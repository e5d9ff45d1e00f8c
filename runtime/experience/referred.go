package experience

import (
	"encoding/json"
	"strings"
	"unicode"

	"evolve/runtime/agent"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// AllTools is the name under which referrals that concern no tool are counted. Such
// referrals describe an ability that the agent's set of tools lacks.
const AllTools = "_agent"

// Unregistered is the name under which calls are counted if the agent does not have the
// tool or if the limit on tool names is exceeded. Models choose the names of the tools
// that they call, so there can be any number of names.
const Unregistered = "_unregistered"

// reading is the state of reading a transcript.
type reading struct {
	calls    []readCall
	turns    []turnReferral
	repaired map[string]bool // tools whose next call repairs a failed call
}

// readCall is a call to which the referrals of its turn have not yet been attributed.
type readCall struct {
	Call
	// aside reports whether the tool does no part of the task itself.
	aside bool
	// excuse reports whether the call ended with a referral without evidence.
	excuse bool
}

// turnReferral is a referral that ended a turn, or a subgoal of a turn; after is the number
// of calls that preceded it.
type turnReferral struct {
	tool.Boundary
	after int
}

// refer attributes each of the turn's referrals to calls made since the previous referral.
// A program's own referral precedes the calls that it reports, and concerns all of them. A
// referral is attributed to the first of these that exists:
//
//   - the last call to each tool that ended with a referral without evidence, for which the
//     turn's referral is the evidence;
//   - the last call to each tool that the referral names;
//   - the last call to a tool that does a part of the task;
//   - no particular tool, which is recorded as a call to [AllTools].
//
// A call that a limit, the operator or the infrastructure prevented is skipped, because it
// shows nothing about its tool.
func (r *reading) refer() {
	from := 0
	for _, t := range r.turns {
		r.attribute(t.Boundary, from, t.after)
		from = t.after
	}
}

func (r *reading) attribute(b tool.Boundary, from, to int) {
	words := spaced(strings.Join(append([]string{b.Evidence, b.Shape}, b.Split...), " "))
	var excused, named []int
	seenExcuse, seenName, last := map[string]bool{}, map[string]bool{}, -1
	for i := to - 1; i >= from; i-- {
		c := r.calls[i]
		if c.excuse && !seenExcuse[c.Tool] {
			seenExcuse[c.Tool] = true
			excused = append(excused, i)
		}
		if c.aside || c.excuse || !judged(c.Outcome) && c.Outcome != agent.WrongToolBoundary {
			continue
		}
		if !seenName[c.Tool] && names(words, c.Tool) {
			seenName[c.Tool] = true
			named = append(named, i)
		}
		last = max(last, i)
	}
	concerned := excused
	if len(concerned) == 0 {
		concerned = named
	}
	if len(concerned) == 0 && last >= 0 {
		concerned = []int{last}
	}
	for _, i := range concerned {
		r.calls[i].referred(b)
	}
	if len(concerned) == 0 {
		r.calls = append(r.calls, readCall{Call: Call{
			Tool: AllTools, Origin: "local", Outcome: agent.WrongToolBoundary, Axes: b.Axes, Cause: evidenceText(b),
		}})
	}
}

// referred marks a call as one that the turn referred elsewhere. A failed call still counts
// as a failure, because a tool that is down must not benefit from a referral. If the turn's
// referral only passes on a referral by the tool itself, the two count once.
func (c *readCall) referred(b tool.Boundary) {
	switch {
	case c.Outcome == agent.WrongToolBoundary && !c.excuse:
	case c.excuse, c.Outcome == agent.OK, c.Outcome == agent.LowUtility:
		c.Outcome, c.Axes, c.Cause, c.excuse = agent.WrongToolBoundary, b.Axes, evidenceText(b), false
	default:
		c.Axes, c.Evidence = b.Axes, evidenceText(b)
	}
}

// boundaryOf returns the referral in an event's data, and whether it is valid and has
// evidence.
func boundaryOf(data json.RawMessage) (tool.Boundary, bool) {
	var b tool.Boundary
	if json.Unmarshal(data, &b) != nil {
		return b, false
	}
	b, err := b.Normalize()
	return b, err == nil
}

// evidenceText returns the shape and evidence of a turn's referral as text for the cause of
// a call.
func evidenceText(b tool.Boundary) string {
	return text.Clip(text.OneLine(b.Shape+": "+b.Evidence), maxLearnedCause)
}

// names reports whether a text names a tool, with or without the name of the tool's server.
// words and name must be in the form that [spaced] returns.
func names(words, name string) bool {
	_, short, _ := strings.Cut(name, "__")
	for _, n := range []string{spaced(name), spaced(short)} {
		if n != spaced("") && strings.Contains(words, n) {
			return true
		}
	}
	return false
}

// spaced returns a text in lower case with each word surrounded by single spaces.
func spaced(s string) string {
	fields := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(fields, " ") + " "
}
