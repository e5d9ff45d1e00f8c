package wire

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/workspace"
)

// NotifyDir returns the folder that holds the messages of the workspace at root.
func NotifyDir(root string) string {
	return filepath.Join((&workspace.Workspace{Root: root}).StateDir(), notify.Folder)
}

// Outbox returns the outbox of a workspace with the workspace's channels. It needs only the
// root and the notify settings of w. The other settings of w only add values that are
// removed from the texts of messages.
func (h *Host) Outbox(w *workspace.Workspace) notify.Outbox {
	set := w.Settings.Notify
	o := notify.Outbox{Dir: NotifyDir(w.Root), Kinds: set.Events, Remind: set.Remind, Now: h.Now, Scrub: h.Scrub(w)}
	for _, c := range set.Channels {
		o.Channels = append(o.Channels, h.channel(w.Root, c))
	}
	return o
}

// channel returns a channel with the values of its variables filled in. If a value is
// missing, the channel fails when it sends.
func (h *Host) channel(root string, c workspace.Channel) notify.Channel {
	fault := ""
	value := func(name string) string {
		v := h.Env.Get(name)
		if name != "" && v == "" && fault == "" {
			fault = fmt.Sprintf("the environment variable %s is not set", name)
		}
		return v
	}
	switch c.Kind {
	case workspace.ChannelProgram:
		return notify.Program{Argv: c.Argv, Dir: root, Env: h.Env.passed(append([]string{"PATH", "HOME"}, c.Env...))}
	case workspace.ChannelWebhook:
		hook := notify.Webhook{URL: c.URL, Secret: value(c.SecretEnv), Label: "$" + c.URLEnv, Now: h.Now, Sleep: h.Sleep}
		if c.URLEnv != "" {
			hook.URL = value(c.URLEnv)
			if problem := workspace.AddressProblem(hook.URL); problem != "" && fault == "" {
				fault = fmt.Sprintf("the value of %s %s", c.URLEnv, problem)
			}
		} else if u, err := url.Parse(c.URL); err == nil {
			hook.Label = u.Host
		}
		hook.Fault = fault
		return hook
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	mail := notify.Email{
		Server: c.Server, Security: c.Security, User: value(c.UserEnv), Password: value(c.PasswordEnv), From: c.From, To: c.To, Host: host, Now: h.Now,
	}
	mail.Fault = fault
	return mail
}
