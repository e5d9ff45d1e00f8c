package provider

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"evolve/runtime/memory"
	"evolve/runtime/model"
)

// unstated is the confidence of an answer without a confidence line.
const unstated = .5

// maxValue is the maximum length of an answer that is also used as its Value, in bytes.
const maxValue = 80

// confident matches the optional last line of an answer, which states a confidence.
var confident = regexp.MustCompile(`(?i)(?:^|\n)[ \t]*confidence:[ \t]*(0|1|0?\.[0-9]{1,9}|1\.0{1,9})[ \t]*$`)

// read converts a provider's answer to a chat into a reply. Every text passes through
// scrub.
func read(c *Chat, a answer, scrub func(string) string) model.Reply {
	r := model.Reply{Stop: a.stop}
	said := strings.TrimSpace(scrub(a.text))
	if a.stop == model.StopRefusal {
		if len(a.calls) > 0 {
			r.Notes = append(r.Notes, "the reply refuses the task, so its calls were not made")
		}
		r.Answer = said
		return r
	}
	var refer *reported
	for i, call := range a.calls {
		if c.refers && call.name == referName {
			refer = &a.calls[i]
			continue
		}
		r.Calls = append(r.Calls, model.Call{
			ID:        callID(c.calls + len(r.Calls)),
			Tool:      memory.Cut(scrub(c.names.real(call.name)), 2*maxName),
			Arguments: json.RawMessage(scrub(string(call.arguments))),
		})
	}
	switch {
	case len(r.Calls) > 0:
		r.Said = said
		if refer != nil {
			r.Notes = append(r.Notes, "the reply contains calls, so its referral is ignored")
		}
	case refer != nil:
		r.Said, r.Answer = said, said
		r.Referral = referral(json.RawMessage(scrub(string(refer.arguments))))
	default:
		r.Answer, r.Confidence, r.Stated = confidence(said)
		whole := r.Answer
		var ok bool
		if r.Answer, ok = c.form.Extract(whole); !ok {
			r.Formless = true
		} else if r.Answer != whole {
			r.Said = whole
		}
		r.Unsure = strings.EqualFold(strings.TrimRight(r.Answer, "."), "unknown")
		if len(r.Answer) <= maxValue && !strings.Contains(r.Answer, "\n") {
			r.Value = r.Answer
		}
	}
	return r
}

// confidence splits off the confidence line at the end of an answer. It returns the rest,
// the confidence that the line states, and whether there is such a line.
func confidence(text string) (rest string, value float64, stated bool) {
	at := confident.FindStringSubmatchIndex(text)
	if at == nil {
		return text, unstated, false
	}
	c, err := strconv.ParseFloat(text[at[2]:at[3]], 64)
	if err != nil {
		return text, unstated, false
	}
	return strings.TrimRight(text[:at[0]], " \t\r\n"), c, true
}
