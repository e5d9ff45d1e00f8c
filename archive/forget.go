package archive

import (
	"bytes"
	"context"
	"fmt"

	"evolve/runtime/experience"
)

// sessionName identifies a conversation of an agent.
type sessionName struct{ agent, name string }

func (s sessionName) key() key { return sessionKey(s.agent, s.name) }

// SessionSummary describes a stored conversation.
type SessionSummary struct {
	Agent, Name string
	// Messages, Notes and Facts count the items of each kind with which the next turn
	// starts.
	Messages, Notes, Facts int
}

// Sessions returns the stored conversations, ordered by agent and name.
func (a *Archive) Sessions(ctx context.Context) ([]SessionSummary, error) {
	var out []SessionSummary
	for s, err := range a.sessionLines(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, SessionSummary{s.Agent, s.Name, len(s.Session.Messages), len(s.Session.Notes), len(s.Session.Facts)})
	}
	return out, nil
}

// DeleteSession removes the state of a conversation from the archive in dir, together with
// the goals, answers and transcripts of its turns; the outcomes and usage of the turns
// stay. The experience of the agent loses the corrections made in the conversation but
// keeps its counts. DeleteSession rewrites the store as [GC] does and fails as GC does. It
// fails with ErrNotFound if the conversation has neither state nor turns.
func DeleteSession(ctx context.Context, dir, agentID, name string, opts GCOptions) (Removed, error) {
	opts.forget = &sessionName{agentID, name}
	gone, err := GC(ctx, dir, Retention{}, opts)
	if err == nil && !gone.Any() {
		err = fmt.Errorf("session %q of agent %q: %w", name, agentID, ErrNotFound)
	}
	return gone, err
}

// findForgotten records a turn if it belongs to the session to remove and still has texts.
func (s *selection) findForgotten(number uint64, t TurnRecord) {
	if f := s.forget; f == nil || t.Agent != f.agent || t.Session != f.name || t.Goal+t.Answer+t.Error == "" {
		return
	}
	if s.forgotten == nil {
		s.forgotten = map[uint64]bool{}
	}
	s.forgotten[number] = true
	s.bared[number] = struct{}{}
}

// emptied returns the record of a turn, without its texts if the turn belongs to the
// removed session.
func (s *selection) emptied(k, value []byte) ([]byte, error) {
	r := readKey(tableTurn, k)
	n := r.number()
	if !s.forgotten[n] {
		return value, r.done()
	}
	var t TurnRecord
	if err := decodeDocument(value, &t); err != nil {
		return nil, err
	}
	t.Goal, t.Answer, t.Error = "", "", ""
	empty, err := encodeDocument(t)
	s.total.Records += int64(len(value) - len(empty))
	return empty, err
}

// unlearned returns an experience without the texts of the session that is removed.
func (s *selection) unlearned(k, value []byte) ([]byte, error) {
	if s.forget == nil || !bytes.Equal(k, experienceKey(s.forget.agent)) && !bytes.Equal(k, frozenKey(s.forget.agent)) {
		return value, nil
	}
	var e experience.Experience
	if err := decodeDocument(value, &e); err != nil {
		return nil, err
	}
	e.Forget(s.forget.name, s.forgets)
	rest, err := encodeDocument(e)
	s.total.Records += int64(len(value) - len(rest))
	return rest, err
}

// unnoted returns a run's record without the parts of its notes on tools that come from the
// removed session.
func (s *selection) unnoted(value []byte) ([]byte, error) {
	if s.forget == nil {
		return value, nil
	}
	var r Run
	if err := decodeDocument(value, &r); err != nil {
		return nil, err
	}
	changed := false
	for i, n := range r.Tools {
		if n.Agent != s.forget.agent {
			continue
		}
		e := experience.Experience{Signatures: n.Signatures}
		e.Forget(s.forget.name, s.forgets)
		changed = changed || len(n.Signatures) > 0
		r.Tools[i].Signatures = e.Signatures
	}
	if !changed {
		return value, nil
	}
	rest, err := encodeDocument(r)
	s.total.Records += int64(len(value) - len(rest))
	return rest, err
}

// forgets reports whether a turn belongs to the session that is removed.
func (s *selection) forgets(turn string) bool {
	n, ok := parseID('T', turn)
	return ok && s.forgotten[n]
}
