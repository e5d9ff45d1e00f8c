package patch

import (
	"context"
	"fmt"
	"strings"
)

// Message is a commit with the text of its message.
type Message struct{ Commit, Text string }

// Trailers returns the "Name: value" lines of the last paragraph.
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

// Saying returns the commits reachable from HEAD or from a ref of a proposal whose
// message contains a text, the newest first. It fails with ErrNoGit if git is not
// installed.
func (r *Repository) Saying(ctx context.Context, text string) ([]Message, error) {
	return r.messages(ctx, "--fixed-strings", "--grep="+text, "HEAD", "--glob=refs/evolve/proposals/*")
}

// MessageOf returns a commit's message; there is false if the repository does not have
// the commit.
func (r *Repository) MessageOf(ctx context.Context, commit string) (m Message, there bool, err error) {
	if !hashForm.MatchString(commit) {
		return m, false, nil
	}
	if _, err := r.TreeOf(commit); err != nil {
		return m, false, nil //nolint:nilerr // it is gone, or no commit
	}
	found, err := r.messages(ctx, "--no-walk", commit)
	if err != nil || len(found) != 1 {
		return m, false, err
	}
	return found[0], true, nil
}

func (r *Repository) messages(ctx context.Context, args ...string) ([]Message, error) {
	args = append([]string{"log", "-z", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%H%n%B"}, args...)
	text, err := r.native(ctx, r.dir, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	var out []Message
	for _, one := range strings.Split(text, "\x00") {
		if commit, body, ok := strings.Cut(strings.TrimLeft(one, "\n"), "\n"); ok {
			out = append(out, Message{commit, body})
		}
	}
	return out, nil
}
