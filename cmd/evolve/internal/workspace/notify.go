package workspace

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// The kinds of events that the setting notify can select for messages.
const (
	EventAwaits = "awaits"
	EventFailed = "failed"
	EventFell   = "fell"
	EventBudget = "budget"
)

// EventKinds lists all kinds of events.
func EventKinds() []string { return []string{EventAwaits, EventFailed, EventFell, EventBudget} }

// The kinds of channels.
const (
	ChannelProgram = "program"
	ChannelWebhook = "webhook"
	ChannelEmail   = "email"
)

// The ways to secure the connection to a mail server. NoTLS is only for mail servers on
// this machine or in private networks, and cannot be used with a password.
const (
	StartTLS = "starttls"
	TLS      = "tls"
	NoTLS    = "none"
)

// Notify configures the messages about nights and the channels for them. It is not part of
// the identity of a run, an agent or an evaluation.
type Notify struct {
	// Events are the kinds of events to report.
	Events []string
	// Remind is the time after which a decision that is still open is reported again; 0
	// means never.
	Remind   time.Duration
	Channels []Channel
	// Heartbeat is the URL of a dead man's switch; if it is empty, no dead man's switch is
	// used.
	Heartbeat string
}

// Channel describes a way of sending messages about events to recipients.
type Channel struct {
	// Kind is ChannelProgram, ChannelWebhook or ChannelEmail.
	Kind string
	// Argv is the command line of a program, and Env names the environment variables that
	// the program is given in addition to PATH and HOME.
	Argv, Env []string
	// URL is the address of a webhook, and URLEnv names the variable that holds the
	// address; only one of them is set. SecretEnv names the variable that holds the signing
	// key; if it is empty, messages are not signed.
	URL, URLEnv, SecretEnv string
	// Server is the host and port of a mail server. Security is StartTLS, TLS or NoTLS.
	Server, Security string
	// UserEnv and PasswordEnv name the environment variables that hold the user name and
	// the password. Either both are set or neither is.
	UserEnv, PasswordEnv string
	From                 string
	To                   []string
}

// EnvNames lists the environment variables that hold the secrets of the channels.
func (n Notify) EnvNames() []string {
	var names []string
	for _, c := range n.Channels {
		for _, name := range append(slices.Clone(c.Env), c.URLEnv, c.SecretEnv, c.PasswordEnv) {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// NotifySettings reads only the keys notify and heartbeat of the workspace at root. It
// returns their settings even if the rest of the workspace has issues. Its error is an
// *Errors if evolve.yaml cannot be parsed or if either of these keys has an issue.
func NotifySettings(root string) (Notify, error) {
	f, err := someSettings(root, func(f *settingsFile) []key { return notificationKeys(&f.Notify) })
	return f.Notify, err
}

// someSettings reads only the given top-level keys of evolve.yaml.
func someSettings(root string, keys func(*settingsFile) []key) (*settingsFile, error) {
	f := newSettingsFile()
	root, err := filepath.Abs(root)
	if err != nil {
		return f, fmt.Errorf("reading the settings: %w", err)
	}
	var form, own collector
	s := &source{file: SettingsFile, errs: &form}
	data, ok := s.read(root, maxYAML, true)
	if !ok {
		return f, form.err()
	}
	n := s.parse(data)
	if n == nil || n.Kind != yaml.MappingNode {
		return f, errors.Join(form.err(), errors.New("evolve.yaml is not a mapping"))
	}
	s.secrets(n, data) // secrets are reported when the whole file is read
	s = &source{file: SettingsFile, errs: &own}
	for _, k := range keys(f) {
		if value := child(n, k.name); value != nil {
			k.field.read(s, value, quote(k.name))
		}
	}
	return f, own.err()
}

// notificationKeys describes the top-level keys notify and heartbeat.
func notificationKeys(n *Notify) []key {
	return []key{
		{name: "notify", doc: "notifications about nights, and where they are sent; see evolve help notify", field: notifyKeys(n)},
		{name: "heartbeat", doc: "URL of a dead man's switch, which each run calls when it starts (with /start appended), succeeds, or fails (with /fail appended), as healthchecks.io expects", field: address(&n.Heartbeat, true), example: "https://hc.example.org/night"},
	}
}

func notifyKeys(n *Notify) object {
	// A list in the file replaces the default.
	events := custom{func(s *source, at *yaml.Node, name string) {
		var kinds []string
		listOf{each: func() field {
			var kind string
			return then{oneOf(&kind, EventKinds()...), func() {
				if kind != "" {
					kinds = append(kinds, kind)
				}
			}}
		}, min: 1, unique: true}.read(s, at, name)
		n.Events = kinds
	}, listOf{each: func() field { return oneOf(new(string), EventKinds()...) }, min: 1, unique: true}.schema()}
	return object{keys: []key{
		{name: "events", doc: "kinds of events that are sent: something awaits a decision, a night failed, a champion's score fell, a budget under policies is nearly used up", field: events, def: "[" + strings.Join(EventKinds(), ", ") + "]"},
		{name: "remind", doc: "time after which a decision that is still open is sent again, such as 168h; if omitted, never", field: duration{&n.Remind, time.Hour, 8760 * time.Hour}, example: "168h"},
		{name: "channels", doc: "where events are sent: to a program with JSON on stdin, to a webhook, by e-mail", field: channelsField(n), example: "[{kind: program, argv: [sh, notify.sh]}]"},
	}}
}

func channelsField(n *Notify) custom {
	item := func(c *Channel) union { return channelKeys(c) }
	form := listOf{each: func() field { return item(new(Channel)) }, min: 1, most: 16}
	return custom{func(s *source, at *yaml.Node, name string) {
		seen := map[string]bool{}
		listOf{each: func() field {
			c := &Channel{Security: StartTLS}
			return custom{take: func(s *source, at *yaml.Node, name string) {
				before := s.errs.total
				item(c).read(s, at, name)
				if s.errs.total > before {
					return
				}
				if seen[c.Target()] {
					s.bad(at, "", "%s repeats a channel that is already listed", name)
					return
				}
				seen[c.Target()] = true
				n.Channels = append(n.Channels, *c)
			}}
		}, min: form.min, most: form.most}.read(s, at, name)
	}, form.schema()}
}

// Target returns an identifier of the channel's recipient, under which sent messages are
// recorded.
func (c Channel) Target() string {
	return strings.Join(slices.Concat([]string{c.Kind}, c.Argv, []string{c.URL, c.URLEnv, c.Server}, c.To), "\x00")
}

func channelKeys(c *Channel) union {
	names := []string{ChannelProgram, ChannelWebhook, ChannelEmail}
	kind := key{name: "kind", doc: "program, webhook or email", field: oneOf(&c.Kind, names...), required: true}
	return union{by: "kind", names: names, members: map[string]object{
		ChannelProgram: {keys: []key{
			kind,
			{name: "argv", doc: "program with its arguments; it is started in the workspace's folder, outside any sandbox, with the message as JSON on stdin, and may run for at most a minute", field: argv(&c.Argv), required: true, example: "[sh, notify.sh]"},
			{name: "env", doc: "names of the environment variables to pass to the program, in addition to PATH and HOME", field: listOf{each: func() field {
				var name string
				return then{envName(&name), func() {
					if name != "" {
						c.Env = append(c.Env, name)
					}
				}}
			}, unique: true}},
		}},
		ChannelWebhook: {keys: []key{
			kind,
			{name: "url", doc: "address that the message is posted to as JSON; https, or http on this machine or a private network", field: address(&c.URL, false), example: "https://hooks.example.org/evolve"},
			{name: "url_env", doc: "name of the environment variable that holds the address, instead of url, if the address itself is a secret", field: envName(&c.URLEnv), example: "EVOLVE_WEBHOOK_URL"},
			{name: "secret_env", doc: "name of the environment variable with the key that signs each request; if omitted, requests are unsigned", field: envName(&c.SecretEnv), example: "EVOLVE_WEBHOOK_SECRET"},
		}, limits: schema{"oneOf": []any{schema{"required": []any{"url"}}, schema{"required": []any{"url_env"}}}}, check: func(s *source, n *yaml.Node, name string) {
			if (c.URL == "") == (c.URLEnv == "") {
				s.bad(n, "", "%s must have either url or url_env", name)
			}
		}},
		ChannelEmail: {keys: []key{
			kind,
			{name: "server", doc: "host and port of the mail server (SMTP)", field: text{to: &c.Server, check: serverProblem, form: schema{"type": "string", "pattern": `^[^\s@/]+:[0-9]{1,5}$`}}, required: true, example: "mail.example.org:587"},
			{name: "security", doc: "starttls (port 587), tls from the first byte (port 465), or none, which is allowed only without a password, for this machine and private networks", field: oneOf(&c.Security, StartTLS, TLS, NoTLS), def: StartTLS},
			{name: "user_env", doc: "name of the environment variable that holds the user name for the login", field: envName(&c.UserEnv), example: "SMTP_USER"},
			{name: "password_env", doc: "name of the environment variable that holds the password", field: envName(&c.PasswordEnv), example: "SMTP_PASSWORD"},
			{name: "from", doc: "e-mail address of the sender", field: mailbox(&c.From), required: true, example: "evolve@example.org"},
			{name: "to", doc: "e-mail addresses of the recipients", field: listOf{each: func() field {
				var to string
				return then{mailbox(&to), func() {
					if to != "" {
						c.To = append(c.To, to)
					}
				}}
			}, min: 1, most: 50, unique: true}, required: true, example: "[robin@example.org]"},
		}, check: func(s *source, n *yaml.Node, name string) {
			host, _, _ := net.SplitHostPort(c.Server)
			switch {
			case (c.UserEnv == "") != (c.PasswordEnv == ""):
				s.bad(n, "", "%s must have both user_env and password_env, or neither", name)
			case c.Security == NoTLS && c.PasswordEnv != "":
				s.bad(child(n, "security"), "use starttls or tls", "a password must not be sent without encryption")
			case c.Security == NoTLS && !private(host):
				s.bad(child(n, "security"), "use starttls or tls", "mail must not be sent without encryption to a server outside this machine and private networks")
			}
		}},
	}}
}

func serverProblem(v string) (problem, hint string) {
	hint = "write it like mail.example.org:587"
	host, port, err := net.SplitHostPort(v)
	number, nan := strconv.ParseUint(port, 10, 16)
	if err != nil || nan != nil || number == 0 || host == "" || strings.ContainsAny(host, " \t\n/@?#") {
		return "must be a host and a port", hint
	}
	return "", ""
}

// mailbox is the field for one e-mail address.
func mailbox(to *string) text {
	return text{to: to, check: mailboxProblem, form: schema{"type": "string", "pattern": `^[!-?A-~]+@[!-?A-~]+$`}}
}

func mailboxProblem(v string) (problem, hint string) {
	a, err := mail.ParseAddress(v)
	if err != nil || a.Address != v || len(v) > 254 || strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "must be one e-mail address", "write it like robin@example.org, without a name and in ASCII"
	}
	return "", ""
}
