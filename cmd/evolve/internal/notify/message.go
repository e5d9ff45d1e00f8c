package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Event is one event that people are notified of.
type Event struct {
	// Kind is "awaits", "failed", "fell" or "budget", or "test" for a trial of the
	// channels.
	Kind string `json:"kind"`
	// Subject distinguishes events of the same kind; an example is a proposal's id.
	Subject string `json:"subject"`
	// Title describes the event on one line.
	Title string `json:"title"`
	// Commands holds the commands that show what the event is about or that decide on it;
	// there may be none.
	Commands []string `json:"commands"`
}

// Key identifies an event.
func (e Event) Key() string { return e.Kind + "/" + e.Subject }

// Message is the input of a channel: the events of one run, and the text of its report.
type Message struct {
	// Version is the version of the message format, which is 1.
	Version int `json:"version"`
	// ID is the same each time that a channel delivers the same events.
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// Workspace is the workspace's folder, and Host is the name of its machine.
	Workspace string `json:"workspace"`
	Host      string `json:"host"`
	// Run is the run's id; it is empty for a night that failed before its run began.
	Run  string `json:"run,omitempty"`
	Exit int    `json:"exit"`
	// Events is not empty.
	Events []Event `json:"events"`
	// Title describes the whole message on one line, and Text is the text to read.
	Title string `json:"title"`
	Text  string `json:"text"`
	// Box holds the run's decision boxes, which are also part of Text.
	Box string `json:"-"`
}

// The maximum lengths of a message's texts, in bytes.
const (
	mostTitle = 300
	mostBox   = 32 << 10
)

// stored is a message in the outbox.
type stored struct {
	Message
	Box string `json:"box"`
}

// with returns a copy of the message that has only the given events.
func (m Message) with(events []Event) Message {
	m.Version, m.Events = 1, events
	m.Title = events[0].Title
	if more := len(events) - 1; more > 0 {
		m.Title += fmt.Sprintf(" (and %d more)", more)
	}
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Title + "\n")
		for _, command := range e.Commands {
			b.WriteString("    " + command + "\n")
		}
		b.WriteByte('\n')
	}
	if m.Box != "" {
		b.WriteString(strings.TrimRight(m.Box, "\n") + "\n\n")
	}
	fmt.Fprintf(&b, "%s on %s", m.Workspace, m.Host)
	if m.Run != "" {
		b.WriteString(", run " + m.Run)
	}
	fmt.Fprintf(&b, ", exit code %d\n", m.Exit)
	m.Text = b.String()
	return m
}

// idOf returns the id of a message sent by a channel.
func idOf(channel, file string, events []Event) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", channel, file)
	for _, e := range events {
		fmt.Fprintf(h, " %q", e.Key())
	}
	return "msg_" + hex.EncodeToString(h.Sum(nil)[:12])
}

// body returns the message as JSON.
func (m Message) body() ([]byte, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("writing the message: %w", err)
	}
	return raw, nil
}

// clip shortens a text to at most n bytes, without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Trial returns a message that tries a channel.
func Trial(workspace, host string, now time.Time) Message {
	m := Message{Time: now.UTC(), Workspace: workspace, Host: host}
	m = m.with([]Event{{Kind: "test", Subject: "test", Title: "a test of this channel; nothing needs to be done", Commands: []string{}}})
	m.ID = idOf("test", now.UTC().Format(time.RFC3339Nano), m.Events)
	return m
}
