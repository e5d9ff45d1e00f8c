package model

import (
	"regexp"

	"evolve/runtime/tool"
)

// beyond is a kind of request that no tool of a read-only agent can fulfil.
type beyond struct {
	axes  []string
	shape string
	// demand matches the beginning of a goal that makes a request of this kind; mention
	// matches the request's subject anywhere in a goal.
	demand, mention *regexp.Regexp
}

// polite matches polite phrases that may precede a request.
const polite = `^(?:please |can you |could you |would you |will you |i (?:need|want) you to |go and |kindly |now )*`

func reach(axes []string, shape, demand, mention string) beyond {
	return beyond{axes, shape, regexp.MustCompile(polite + `(?:` + demand + `)\b`), regexp.MustCompile(`\b(?:` + mention + `)\b`)}
}

var outOfReach = []beyond{
	reach([]string{"network", "web"}, "looking something up on the web",
		`browse|google|search (?:the )?(?:web|internet|online)|look up online|open (?:the )?(?:web ?page|website|url)|download|fetch https?|visit`,
		`website|web page|internet|online|https?`),
	reach([]string{"messaging", "write"}, "sending a message",
		`(?:e-?mail|send|message|text|notify|post|tweet|reply to|forward|publish|invite|announce)`,
		`e-?mail|newsletter|slack|message|sms`),
	reach([]string{"telephony"}, "making a call", `(?:call|phone|ring|dial)`, `phone call`),
	reach([]string{"payments", "write"}, "spending money",
		`(?:buy|purchase|order|pay|book|transfer|refund|sell|subscribe|donate|invoice)`,
		`purchase|payment|transfer`),
	reach([]string{"operations", "write"}, "changing a running system",
		`(?:deploy|restart|reboot|shut ?down|stop|start|kill|scale|roll ?back|install|upgrade|provision|migrate|enable|disable|turn (?:on|off))`,
		`deploy|restart|reboot|production`),
	reach([]string{"files", "write"}, "changing files or records",
		`(?:edit|delete|remove|rename|overwrite|modify|update|change|save|commit|push|merge|refactor|fix|implement|schedule|cancel|reset)|(?:add|create|write|insert) (?:a |an |the |another )?(?:new )?(?:file|ticket|record|entry|row|line|issue|user|account|branch|supplier|customer|item)`,
		`delete|overwrite|commit|push`),
	reach([]string{"live data"}, "current data from outside",
		`(?:check (?:the )?(?:weather|stock|traffic)|what(?:'s| is) (?:the )?(?:weather|current (?:stock|share|market) price|exchange rate|temperature outside|latest news)|how is the weather)`,
		`weather|stock price|share price|exchange rate|news|traffic|right now|live`),
	reach([]string{"images"}, "making or seeing a picture",
		`(?:draw|paint|sketch|photograph|generate an image|take a (?:picture|photo|screenshot))`,
		`picture|photo|image|screenshot`),
}

// answerable matches goals that a text can answer although they look like requests for a
// change.
var answerable = regexp.MustCompile(polite + `(?:write (?:out )?(?:down )?(?:the )?(?:number|name|value|date|answer)|add (?:up )?\d|order (?:the|these|them) .*\bby\b|change of|start (?:with|by|of)|add up|call to mind|check )`)

// boundary returns the reason why no tool can fulfil a goal, or nil if there is none. If
// early is set, a mention is enough.
func (q *question) boundary(early bool) *tool.Boundary {
	if answerable.MatchString(q.lower) {
		return nil
	}
	for _, b := range outOfReach {
		found := b.demand.FindString(q.lower)
		if found == "" && early {
			found = b.mention.FindString(q.lower)
		}
		if found == "" {
			continue
		}
		return &tool.Boundary{Axes: b.axes, Shape: b.shape, Evidence: "the goal says: " + found}
	}
	return nil
}
