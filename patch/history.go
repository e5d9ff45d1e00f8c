package patch

import (
	"context"
	"fmt"
	"strings"
)

// Message is a commit with the text of its message.
type Message struct{ Commit, Text string }

// Trailers returns the "Name: value" lines of the message's last paragraph.
func (m Message) Trailers() map[string]string {
	out := map[string]string{}
	paragraphs := strings.Split(strings.TrimSpace(m.Text), "\n\n")
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			out[name] = value
		}
	}
	return out
}

// Saying returns the commits reachable from HEAD or from a proposal's ref whose message
// contains the given text, newest first. It fails with ErrNoGit if git is not installed.
func (r *Repository) Saying(ctx context.Context, text string) ([]Message, error) {
	log, err := r.native(ctx, r.dir, "log", "-z", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%H%n%B",
		"--fixed-strings", "--grep="+text, "HEAD", "--glob=refs/evolve/proposals/*", "--")
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var out []Message
	for one := range strings.SplitSeq(log, "\x00") {
		if commit, body, ok := strings.Cut(strings.TrimLeft(one, "\n"), "\n"); ok {
			out = append(out, Message{commit, body})
		}
	}
	return out, nil
}

// MessageOf returns a commit's message. The second result (there) reports whether the
// repository has the commit.
func (r *Repository) MessageOf(commit string) (m Message, there bool) {
	err := r.with(func(s *store) error {
		c, err := s.commit(commit)
		if err == nil {
			m = Message{commit, c.Message}
		}
		return err
	})
	return m, err == nil
}
