package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// The bounds of a stored turn, in bytes; longer texts are truncated. The transcript has
// its own bound (transcript.go).
const (
	maxTurnGoal   = 16 << 10
	maxTurnAnswer = 64 << 10
	maxTurnError  = 4 << 10
	maxTurnName   = 1 << 10
	// maxSession limits the size of a session as JSON; a larger one is refused.
	maxSession = 512 << 10
)

// TurnRecord is one turn of an agent outside any evaluation.
type TurnRecord struct {
	// ID is "T<number>".
	ID    string `json:"id"`
	Agent string `json:"agent"`
	// Session names the conversation; it is empty for a turn outside of a conversation.
	Session string         `json:"session,omitempty"`
	Config  agent.ConfigID `json:"config"`
	// PolicyVersion is the version of the policies under which the turn ran.
	PolicyVersion string `json:"policy_version,omitempty"`
	// Autonomy is the level of autonomy under which the turn ran; it is 0 for a turn
	// recorded by an older version of evolve.
	Autonomy int           `json:"autonomy,omitempty"`
	Goal     string        `json:"goal"`
	Answer   string        `json:"answer,omitempty"`
	Outcome  agent.Outcome `json:"outcome"`
	// Error is the reason for an outcome that is not ok.
	Error   string      `json:"error,omitempty"`
	Usage   agent.Usage `json:"usage,omitzero"`
	Created time.Time   `json:"created,omitzero"`
	// Imported reports whether the turn comes from an import and therefore shows nothing
	// about the agent here.
	Imported bool `json:"imported,omitempty"`
	// Transcript is stored separately and omitted when turns are listed.
	Transcript agent.Transcript `json:"transcript,omitzero"`
}

func turnKey(number uint64) key           { return newKey(tableTurn).number(number) }
func turnTranscriptKey(number uint64) key { return newKey(tableTurnTranscript).number(number) }
func sessionKey(agentID, name string) key {
	return newKey(tableSession).text(validText(agentID)).text(validText(name))
}

// PutTurn stores a turn under the next free id, synced to disk, and returns the stored
// record, with texts truncated to their bounds. In the same transaction, next replaces the
// state from which the next turn of the conversation starts, and learned is added to the
// experience of the agent under the turn's id and session; either may be nil. If the state
// exceeds its bound, PutTurn fails with ErrTooLarge. If the turn would make the experience
// exceed its bound, the experience stays as it is.
func (a *Archive) PutTurn(ctx context.Context, t TurnRecord, next *agent.Session, learned *experience.Turn) (TurnRecord, error) {
	err := a.change(ctx, "store a turn", func(b *batch) error {
		last, err := a.number(ctx, counterKey(countTurns, ""))
		if err != nil {
			return err
		}
		t.ID = fmt.Sprintf("T%d", last+1)
		if next != nil {
			if err := putSession(b, t.Agent, t.Session, *next); err != nil {
				return fmt.Errorf("session %s: %w", t.Session, err)
			}
		}
		if t, err = a.putTurn(b, t, last+1); err != nil || learned == nil {
			return err
		}
		return a.learn(ctx, b, t, *learned)
	})
	if err == nil && learned != nil {
		learned.ID = t.ID
	}
	return t, err
}

// putTurn adds a numbered turn and its transcript to a batch.
func (a *Archive) putTurn(b *batch, t TurnRecord, number uint64) (TurnRecord, error) {
	if t.Agent == "" {
		return t, errors.New("a turn needs an agent")
	}
	t.Agent, t.Session, t.PolicyVersion = truncate(t.Agent, maxTurnName), truncate(t.Session, maxTurnName), truncate(t.PolicyVersion, maxTurnName)
	t.Goal, t.Answer, t.Error = truncate(t.Goal, maxTurnGoal), truncate(t.Answer, maxTurnAnswer), truncate(t.Error, maxTurnError)
	t.Config = agent.ConfigID(truncate(string(t.Config), maxTurnName))
	t.Outcome = agent.Outcome(truncate(string(t.Outcome), maxTurnName))
	t.Created = normalizeTime(t.Created)
	packed, err := a.packer.pack(&t.Transcript)
	if err != nil {
		return t, err
	}
	if t.Transcript, err = a.packer.unpack(packed); err != nil {
		return t, err
	}
	b.put(counterKey(countTurns, ""), encodeNumber(number))
	b.put(turnTranscriptKey(number), packed)
	alone := t
	alone.Transcript = agent.Transcript{}
	return t, putDocument(b, turnKey(number), alone)
}

// Turn finds a turn by its id, whose letter may be upper or lower case, and returns it with
// its transcript.
func (a *Archive) Turn(ctx context.Context, id string) (TurnRecord, error) {
	t, n, err := numbered[TurnRecord](ctx, a, "turn", id, 'T', tableTurn)
	if err != nil {
		return t, err
	}
	if err := a.withTranscript(ctx, &t, n); err != nil {
		return t, fmt.Errorf("turn %q: %w", id, err)
	}
	return t, nil
}

func (a *Archive) withTranscript(ctx context.Context, t *TurnRecord, number uint64) error {
	packed, err := getOne(ctx, a.store, turnTranscriptKey(number))
	if err != nil {
		return err
	}
	t.Transcript, err = a.packer.unpack(packed)
	return err
}

// Turns yields all turns, ordered by number, without their transcripts.
func (a *Archive) Turns(ctx context.Context) iter.Seq2[TurnRecord, error] {
	return documents[TurnRecord](ctx, a, "list the turns", newKey(tableTurn), nil)
}

func putSession(b *batch, agentID, name string, s agent.Session) error {
	if agentID == "" || name == "" {
		return errors.New("a session needs an agent and a name")
	}
	data, err := encodeDocument(s)
	if err != nil {
		return err
	}
	if len(data) > maxSession || len(agentID)+len(name) > maxTurnName {
		return ErrTooLarge
	}
	b.put(sessionKey(agentID, name), data)
	return nil
}

// Session returns the state after the last turn of a conversation, or ErrNotFound if none
// is stored.
func (a *Archive) Session(ctx context.Context, agentID, name string) (agent.Session, error) {
	return named[agent.Session](ctx, a, sessionKey(agentID, name), "session %q of agent %q", name, agentID)
}
