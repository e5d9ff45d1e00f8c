package command

import (
	"regexp"

	"evolve/runtime/agent"
)

// Offline is what a task says whose program looked for a network that it does not have.
const Offline = `it has no network but a loopback of its own: "network: host" under adapter: in its agent.yaml gives it the host's`

// refusals are how programs in common languages call a network that cannot be reached.
// Landlock alone refuses the call that makes a socket: it is "not implemented".
var refusals = regexp.MustCompile(`(?i)ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|EAI_FAIL|ENOTFOUND|EAFNOSUPPORT|` +
	`connection refused|network is unreachable|no route to host|name resolution|name or service not known|could not resolve|` +
	`couldn't connect to server|failed to connect to|no such host|nodename nor servname|getaddrinfo|address family not supported|function not implemented|` +
	`UnknownHostException|ConnectException|APIConnectionError|\bconnection error\b|max retries exceeded|fetch failed|dial (tcp|udp|unix)`)

// wantedNetwork reports whether a program without a network looked for one during a
// task: by what the kernel counted, or, where the task failed, by what the program wrote.
func (w *worker) wantedNetwork(res *agent.Result, stderr string) bool {
	w.count()
	counted := w.seen > w.told
	if w.told = w.seen; counted {
		return true
	}
	return res.Outcome != agent.OK && (refusals.MatchString(stderr) || refusals.MatchString(res.Error))
}

// count takes over how often the program has found no way so far.
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
