package session

import (
	"fmt"
	"strings"
)

// maxSignal bounds the name in a signal, in bytes.
const maxSignal = 40

// Route chooses the route of a turn and returns the reason. A signal such as
// [route:code] in the user's own message takes precedence: it selects the hint of that
// name, ignoring case, or the default route, which is "", when there is none. Without a
// signal the config's route for the domain is used, under the same condition. So the
// result is one of the hints or "", for any message. Pass only the user's text: the
// results of tools and earlier answers carry no signals.
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
		return "", fmt.Sprintf("the message asks for the route %s, which is not configured: the default route", name)
	}
	switch h, ok := hint(domainRoute); {
	case ok:
		return h, "the config has it for the domain"
	case domainRoute != "":
		return "", "the config's route for the domain is not configured: the default route"
	}
	return "", "the default route"
}

// signal returns the name in the first well-formed signal of a message, in lower case.
// Anything else is ordinary text.
func signal(message string) (string, bool) {
	const opens = "[route:"
	for i := strings.IndexByte(message, '['); i >= 0; {
		message = message[i:]
		if len(message) > len(opens) && strings.EqualFold(message[:len(opens)], opens) {
			rest := message[len(opens):]
			if end := strings.IndexByte(rest[:min(len(rest), maxSignal+1)], ']'); end > 0 {
				if name := strings.ToLower(rest[:end]); strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" {
					return name, true
				}
			}
		}
		message = message[1:]
		i = strings.IndexByte(message, '[')
	}
	return "", false
}
