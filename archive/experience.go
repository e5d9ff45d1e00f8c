package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"evolve/runtime/experience"
)

// maxExperience limits the size of an agent's experience as JSON, in bytes; a larger
// experience is refused. The limits of its parts keep almost every experience below this
// size.
const maxExperience = 4 << 20

func experienceKey(agentID string) key {
	return newKey(tableExperience).text(validText(agentID))
}

// Experience returns the experience gathered from an agent's live turns, or the zero value
// if nothing is stored.
func (a *Archive) Experience(ctx context.Context, agentID string) (experience.Experience, error) {
	e, err := named[experience.Experience](ctx, a, experienceKey(agentID), "experience of agent %q", agentID)
	if errors.Is(err, ErrNotFound) {
		return experience.Experience{}, nil
	}
	return e, err
}

func frozenKey(agentID string) key { return newKey(tableFrozen).text(validText(agentID)) }

// FreezeExperience stores a copy of the part of an agent's experience that evaluations
// read, as it is at the start of a run. Turns that end while the run is interrupted do not
// change the copy, so the resumed run compares variants under the same conditions as
// before. The copy replaces the one stored for an earlier run. An export does not contain
// the copy.
func (a *Archive) FreezeExperience(ctx context.Context, agentID string) error {
	return a.change(ctx, fmt.Sprintf("store the experience of agent %q for a run", agentID), func(b *batch) error {
		e, err := a.Experience(ctx, agentID)
		if err != nil {
			return err
		}
		return putDocument(b, frozenKey(agentID), e.ForEvaluations())
	})
}

// FrozenExperience returns the experience that [Archive.FreezeExperience] last stored, or
// the zero value if there is none.
func (a *Archive) FrozenExperience(ctx context.Context, agentID string) (experience.Experience, error) {
	e, err := named[experience.Experience](ctx, a, frozenKey(agentID), "experience of agent %q for a run", agentID)
	if errors.Is(err, ErrNotFound) {
		return experience.Experience{}, nil
	}
	return e, err
}

// UpdateExperience reads an agent's experience, lets change modify it and stores the
// result, in one transaction that is synced to disk. If entry is not nil, the transaction
// also appends that entry to the ledger, with the agent as its subject; change may still
// fill in the entry. If change fails, nothing is stored. An experience that exceeds its
// bound is refused with ErrTooLarge.
func (a *Archive) UpdateExperience(ctx context.Context, agentID string, entry *LedgerEntry, change func(*experience.Experience) error) error {
	return a.change(ctx, fmt.Sprintf("store the experience of agent %q", agentID), func(b *batch) error {
		e, err := a.Experience(ctx, agentID)
		if err != nil {
			return err
		}
		if err := change(&e); err != nil {
			return err
		}
		if err := e.Valid(); err != nil {
			return err
		}
		if entry != nil {
			told := *entry
			told.Subject = agentID
			if _, err := a.chain(ctx, b, told); err != nil {
				return err
			}
		}
		return putExperience(b, agentID, e)
	})
}

// learn adds a stored turn to the experience of the turn's agent, with the turn's id and
// session. If the experience would exceed its bound, it stays as it is and learn returns no
// error, because the record of the turn is more important than the experience from it.
func (a *Archive) learn(ctx context.Context, b *batch, stored TurnRecord, t experience.Turn) error {
	e, err := a.Experience(ctx, stored.Agent)
	if err != nil {
		return err
	}
	t.ID, t.Session, t.Time = stored.ID, stored.Session, normalizeTime(t.Time)
	e.Learn(t)
	if err := putExperience(b, stored.Agent, e); err != nil && !errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("store the experience of agent %q: %w", stored.Agent, err)
	}
	return nil
}

func putExperience(b *batch, agentID string, e experience.Experience) error {
	if agentID == "" {
		return errors.New("an experience needs an agent")
	}
	data, err := encodeDocument(e)
	if err != nil {
		return err
	}
	if len(data) > maxExperience || len(agentID) > maxTurnName {
		return ErrTooLarge
	}
	b.put(experienceKey(agentID), data)
	return nil
}

// experienceLines yields the stored experience of each agent, ordered by agent.
func (a *Archive) experienceLines(ctx context.Context) iter.Seq2[experienceLine, error] {
	return sequence(ctx, a, "read the experiences", newKey(tableExperience), nil,
		func(k, value []byte) (l experienceLine, err error) {
			r := readKey(tableExperience, k)
			l.Agent = r.text()
			if err := r.done(); err != nil {
				return l, fmt.Errorf("%w: an experience: %w", ErrCorrupt, err)
			}
			return l, decodeDocument(value, &l.Experience)
		})
}
