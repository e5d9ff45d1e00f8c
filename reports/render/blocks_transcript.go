package render

import (
	"encoding/json"
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// The maximum numbers of characters shown for a step that is the same on both sides, and
// for a step that differs.
const (
	maxSameStep = 160
	maxOwnStep  = 500
)

// transcriptFold shows both transcripts side by side, and marks the first step at which
// they diverge. A step that is the same on both sides is shown once.
func transcriptFold(d model.Detail, against string) fold {
	summary := say("Both transcripts, step by step")
	if d.Differs < 0 {
		summary = append(summary, remark("no step differs"))
	} else {
		summary = append(summary, remark("they differ from step "+number.Count(d.Differs+1)+" on"))
	}
	t := newTable(say("Transcripts of ", clipped(d.Task, 80)), figures("#"), wraps(against, "variant"))
	side := func(a model.Attempt, i, most int) spans {
		if i < 0 || i >= len(a.Events) {
			return say(styled(number.Unknown, dim))
		}
		return eventText(a.Events[i], most)
	}
	for i, p := range d.Transcript {
		mark, before, after := "", side(d.Before, p.Before, maxOwnStep), side(d.After, p.After, maxOwnStep)
		if p.Same {
			before, after = side(d.Before, p.Before, maxSameStep), say(styled("the same", dim))
		}
		if i == d.Differs {
			mark, after = "diverge", slices.Concat(say(styled("◂ first difference", strong), "\n"), after)
		}
		t.add(mark, number.Count(i+1), before, after)
	}
	blocks := []block{t}
	if a, b := d.Before.Omitted, d.After.Omitted; a+b > 0 {
		blocks = append(blocks, para{Note: true, Text: say("Not shown here: " + number.Plural(a, "further step") + " of the " + against + ", " + number.Count(b) + " of the variant.")})
	}
	return fold{Summary: summary, Blocks: blocks}
}

// eventText returns the text for one step: its kind, its arguments and its result.
func eventText(e agent.Event, most int) spans {
	out := say(theirs(e.Kind, strong))
	for _, name := range []string{e.Name, e.Method} {
		if e.Kind == agent.EventDomain && name == memory.GlobalDomain {
			name = "none"
		}
		if name != "" {
			out = append(out, say(" ", foreign(name))...)
		}
	}
	if e.Outcome != "" && e.Outcome != agent.OK {
		out = append(out, say(" (", stateSpan(string(e.Outcome)), ")")...)
	}
	for _, part := range []string{dataText(e), readable(e.Text)} {
		if part != "" {
			out = append(out, say("\n", lined(part, most))...)
		}
	}
	return out
}

// dataText returns the data of a step, with one value on each line.
func dataText(e agent.Event) string {
	if len(e.Data) == 0 {
		return ""
	}
	if e.Kind == agent.EventPolicy {
		var p struct {
			Values []struct{ Setting, Value string }
		}
		if json.Unmarshal(e.Data, &p) == nil && len(p.Values) > 0 {
			parts := make([]string, len(p.Values))
			for i, v := range p.Values {
				parts[i] = v.Setting + " " + v.Value
			}
			return strings.Join(parts, ", ")
		}
	}
	return readable(string(e.Data))
}
