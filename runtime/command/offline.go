package command

import (
	"regexp"

	"evolve/runtime/agent"
)

// Offline is the hint for a task whose program tried to use a network but has none.
const Offline = `the program has no network except its own loopback interface; to give it the host's network, set "network: host" under adapter: in agent.yaml`

// refusals matches the messages of common languages about an unreachable network. If only
// Landlock isolates a program, it refuses the creation of sockets, which is reported as
// "not implemented".
var refusals = regexp.MustCompile(`(?i)ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|EAI_FAIL|ENOTFOUND|EAFNOSUPPORT|` +
	`connection refused|network is unreachable|no route to host|name resolution|name or service not known|could not resolve|` +
	`couldn't connect to server|failed to connect to|no such host|nodename nor servname|getaddrinfo|address family not supported|function not implemented|` +
	`UnknownHostException|ConnectException|APIConnectionError|\bconnection error\b|max retries exceeded|fetch failed|dial (tcp|udp|unix)`)

// wantedNetwork reports whether a program without a network tried to use a network during
// a task, judging by the kernel's counters or, if the task failed, by the program's
// messages.
func (w *worker) wantedNetwork(res *agent.Result, stderr string) bool {
	w.count()
	counted := w.seen > w.told
	if w.told = w.seen; counted {
		return true
	}
	return res.Outcome != agent.OK && (refusals.MatchString(stderr) || refusals.MatchString(res.Error))
}

// count updates the count of the program's attempts to reach an unreachable address.
func (w *worker) count() {
	n := int64(0)
	select {
	case <-w.done:
		n = w.exit.Unreached
	default:
		n = w.process.Unreached()
	}
	w.seen = max(w.seen, n)
}
