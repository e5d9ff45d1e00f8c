package workspace

// badNotify returns mistakes in notify and heartbeat.
func badNotify() []badCase {
	mail := "notify: {channels: [{kind: email, from: a@example.org, to: [b@example.org], "
	return []badCase{
		settings("no channel", "notify: {channels: []}\n", `evolve.yaml:1:20: "channels" must have at least 1 item`, true),
		settings("unknown event", "notify:\n  events: [fail]\n  channels: [{kind: program, argv: [x]}]\n", `evolve.yaml:2:12: item 1 of "events" must be awaits, failed, fell or budget, not "fail"`, true),
		settings("unknown channel", "notify: {channels: [{kind: webhok, url: https://a.org}]}\n", `evolve.yaml:1:28: "kind" must be program, webhook or email, not "webhok" (did you mean "webhook"?)`, true),
		settings("key of another channel", "notify: {channels: [{kind: program, argv: [x], url: https://a.org}]}\n", `evolve.yaml:1:48: "url" cannot be used with kind: program`, true),
		settings("webhook without an address", "notify: {channels: [{kind: webhook}]}\n", `evolve.yaml:1:21: item 1 of "channels" must have either url or url_env`, true),
		settings("webhook with two addresses", "notify: {channels: [{kind: webhook, url: https://a.org, url_env: A}]}\n", `evolve.yaml:1:21: item 1 of "channels" must have either url or url_env`, true),
		settings("webhook in the open", "notify: {channels: [{kind: webhook, url: http://a.org/x}]}\n", `evolve.yaml:1:42: "url" must begin with https:// (http is only for this machine and private networks)`, false),
		settings("webhook with a password", "notify: {channels: [{kind: webhook, url: https://u@a.org/x}]}\n", `evolve.yaml:1:42: "url" must not contain a user name or a password (put secrets in environment variables and give only the variables' names)`, true),
		settings("a channel twice", "notify: {channels: [{kind: webhook, url_env: A}, {kind: webhook, url_env: A}]}\n", `evolve.yaml:1:50: item 2 of "channels" repeats a channel that is already listed`, false),
		settings("mail without a port", mail+"server: mail.example.org}]}\n", `evolve.yaml:1:85: "server" must be a host and a port (write it like mail.example.org:587)`, true),
		settings("a login by half", mail+"server: \"m.org:587\", user_env: A}]}\n", `evolve.yaml:1:21: item 1 of "channels" must have both user_env and password_env, or neither`, false),
		settings("a password in the open", mail+"server: \"localhost:25\", security: none, user_env: A, password_env: B}]}\n", `evolve.yaml:1:111: a password must not be sent without encryption (use starttls or tls)`, false),
		settings("mail in the open", mail+"server: \"m.org:25\", security: none}]}\n", `evolve.yaml:1:107: mail must not be sent without encryption to a server outside this machine and private networks (use starttls or tls)`, false),
		settings("a header in an address", "notify: {channels: [{kind: email, server: \"m.org:25\", from: \"a@b.org\\nBcc: c@d.org\", to: [b@example.org]}]}\n", `evolve.yaml:1:61: "from" must be one e-mail address (write it like robin@example.org, without a name and in ASCII)`, true),
		settings("a name in an address", "notify: {channels: [{kind: email, server: \"m.org:25\", from: a@b.org, to: [\"Kim <k@b.org>\"]}]}\n", `evolve.yaml:1:75: item 1 of "to" must be one e-mail address (write it like robin@example.org, without a name and in ASCII)`, true),
		settings("heartbeat with a query", "heartbeat: https://hc.example.org/x?y\n", `evolve.yaml:1:12: "heartbeat" must not have a query string`, true),
	}
}
