package session

import (
	"fmt"
	"regexp"
	"strings"
)

// maxSignal is the maximum length of the name in a signal, in bytes.
const maxSignal = 40

// Route chooses the route of a turn and returns the reason. A signal in the user's own
// message, such as [route:code] or hint:code, takes precedence: it selects the hint with
// that name, ignoring case, or the default route "" if there is no such hint. Without a
// signal, the config's route for the domain is used if there is a hint with that name, and
// otherwise the default route. So for any message the result is one of the hints or "".
// Pass only the user's text: signals in the results of tools and in earlier answers must
// have no effect.
func Route(message, domainRoute string, hints []string) (route, why string) {
	hint := func(name string) (string, bool) {
		for _, h := range hints {
			if h != "" && strings.EqualFold(h, name) {
				return h, true
			}
		}
		return "", false
	}
	if name, ok := signal(message); ok {
		if h, ok := hint(name); ok {
			return h, "the message asks for the route " + h
		}
		return "", fmt.Sprintf("the message asks for the route %s, which is not configured, so the default route is used", name)
	}
	switch h, ok := hint(domainRoute); {
	case ok:
		return h, "the config sets this route for the domain"
	case domainRoute != "":
		return "", "the route that the config sets for the domain does not exist, so the default route is used"
	}
	return "", "the default route"
}

// signals matches [route:name], [hint:name] and the bare word hint:name.
var signals = regexp.MustCompile(`(?i)\[(?:route|hint):([a-z0-9_-]+)\]|(?:^|\s)hint:([a-z0-9_-]+)(?:$|[\s.,;!?])`)

// signal returns the name in the first well-formed signal of a message, in lower case.
// Anything else is ordinary text.
func signal(message string) (string, bool) {
	for _, m := range signals.FindAllStringSubmatch(message, -1) {
		if name := strings.ToLower(m[1] + m[2]); len(name) <= maxSignal {
			return name, true
		}
	}
	return "", false
}
