package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"evolve/bench/stats"
)

// The kinds of ledger entries about candidates. The subject of these entries is
// "agent/number".
const (
	// ledgerEnter records that an entry into the confirmation was opened. The error
	// control counts the entry whatever the outcome of the entry is.
	ledgerEnter = "confirm.enter"
	// ledgerPlace records that the state of a candidate changed, or that the candidate
	// became void.
	ledgerPlace = "confirm.end"
)

func candidateKey(agentID string, number uint64) key {
	return newKey(tableCandidate).text(agentID).number(number)
}

func candidateSubject(agentID string, number int) string {
	return fmt.Sprintf("%s/%d", agentID, number)
}

// EnterCandidate opens an entry into the confirmation together with its ledger entry (kind
// "confirm.enter"), in one synced transaction. It returns the new entry with its number,
// open and without evidence. A variant enters only once in a run: for a repeated entry,
// EnterCandidate returns the stored one and writes nothing.
func (a *Archive) EnterCandidate(ctx context.Context, c Candidate) (Candidate, error) {
	c.Time, c.Void, c.State = normalizeTime(c.Time), "", stats.Open
	err := a.change(ctx, "enter a candidate", func(b *batch) error {
		if err := checkCandidate(c); err != nil {
			return err
		}
		last, err := a.number(ctx, counterKey(countCandidates, c.Agent))
		if err != nil {
			return err
		}
		for known, err := range a.Candidates(ctx, c.Agent) {
			if err != nil {
				return err
			}
			if known.Run == c.Run && known.Variant == c.Variant {
				c = known
				return nil
			}
		}
		c.Number = int(last) + 1
		entry, err := a.noteCandidate(ctx, b, c, ledgerEnter, c.Time)
		if err != nil {
			return err
		}
		c.Ledger = entry.Seq
		b.put(counterKey(countCandidates, c.Agent), encodeNumber(uint64(c.Number)))
		return putCandidate(b, c)
	})
	return c, err
}

// PutCandidate replaces a stored entry into the confirmation. The fields that were set
// when the candidate entered (variant, champion, run, time, holds, spends, alpha) must
// not change. If State or Void differs from the stored value, a ledger entry (kind
// "confirm.end") with the given time (at) is added in the same synced transaction. Once a
// candidate is void or in a final state, neither State nor Void can change.
func (a *Archive) PutCandidate(ctx context.Context, c Candidate, at time.Time) error {
	c.Time = normalizeTime(c.Time)
	return a.change(ctx, "store candidate "+candidateSubject(c.Agent, c.Number), func(b *batch) error {
		if err := checkCandidate(c); err != nil {
			return err
		}
		was, err := document[Candidate](ctx, a, candidateKey(c.Agent, uint64(c.Number)))
		switch {
		case err != nil:
			return err
		case !sameEntry(was, c):
			return errors.New("it differs from the stored entry")
		case was.State == c.State && was.Void == c.Void:
			return putCandidate(b, c)
		case was.Void != "":
			return errors.New("the candidate was void, so its place in the confirmation was released")
		case was.State.Ended():
			return fmt.Errorf("the candidate was %s, so its place in the confirmation was released", was.State)
		}
		if _, err := a.noteCandidate(ctx, b, c, ledgerPlace, at); err != nil {
			return err
		}
		return putCandidate(b, c)
	})
}

func sameEntry(a, b Candidate) bool {
	return a.Variant == b.Variant && a.Champion == b.Champion && a.Run == b.Run && a.Time.Equal(b.Time) &&
		a.Holds == b.Holds && a.Spends == b.Spends && a.Alpha == b.Alpha && a.Ledger == b.Ledger
}

func checkCandidate(c Candidate) error {
	states := []stats.State{stats.Open, stats.Proven, stats.HereOnly, stats.Harmful, stats.Vetoed, stats.Parked, stats.Trade}
	switch {
	case c.Agent == "" || c.Variant == "" || c.Champion == "" || c.Run == "":
		return errors.New("a candidate needs an agent, a variant, a champion and a run")
	case c.Variant == c.Champion:
		return errors.New("the champion cannot be a candidate")
	case !(c.Alpha > 0 && c.Alpha < 1):
		return fmt.Errorf("its significance level is %v, which is not between 0 and 1", c.Alpha)
	case !slices.Contains(states, c.State):
		return fmt.Errorf("its state cannot be %q", c.State)
	}
	return nil
}

// noteCandidate adds a ledger entry about a candidate to a batch.
func (a *Archive) noteCandidate(ctx context.Context, b *batch, c Candidate, kind string, at time.Time) (LedgerEntry, error) {
	return a.chainData(ctx, b, LedgerEntry{Time: at, Kind: kind, Actor: "evolve", Subject: candidateSubject(c.Agent, c.Number)}, c)
}

func putCandidate(b *batch, c Candidate) error {
	return putDocument(b, candidateKey(c.Agent, uint64(c.Number)), c)
}

// Candidates yields an agent's entries into the confirmation in the order in which
// they were made.
func (a *Archive) Candidates(ctx context.Context, agentID string) iter.Seq2[Candidate, error] {
	return documents[Candidate](ctx, a, "list the candidates", newKey(tableCandidate).text(agentID), nil)
}

// SpentByOthers yields the entries of all agents other than agentID that spend the data
// identified by spends. It yields none if spends is empty.
func (a *Archive) SpentByOthers(ctx context.Context, agentID, spends string) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		if spends == "" {
			return
		}
		for c, err := range everyDocument[Candidate](ctx, a, tableCandidate) {
			if (err != nil || c.Agent != agentID && c.Spends == spends) && !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// candidate checks that a stored entry matches its key and its ledger entry.
func (c *checker) candidate(k, value []byte, r *reading) error {
	agentID, n := r.text(), r.number()
	var d Candidate
	if err := decodeDocument(value, &d); err != nil {
		return err
	}
	if d.Agent != agentID || uint64(d.Number) != n || checkCandidate(d) != nil {
		return fmt.Errorf("%w: candidate %d of %q does not match its key or is invalid", ErrCorrupt, n, agentID)
	}
	c.expect(k, counterKey(countCandidates, agentID), atLeast(n))
	c.expect(k, ledgerKey(d.Ledger), func(v []byte) bool {
		var e LedgerEntry
		return decodeDocument(v, &e) == nil && e.Kind == ledgerEnter && e.Subject == candidateSubject(agentID, d.Number)
	})
	return nil
}

// ledgerEntry checks a ledger entry that records a candidate's entry into the
// confirmation: the candidate must exist and agree with the ledger entry.
func (c *checker) ledgerEntry(k, value []byte, r *reading) error {
	r.number()
	var e LedgerEntry
	if err := decodeDocument(value, &e); err != nil {
		return err
	}
	if e.Kind != ledgerEnter {
		return nil
	}
	var recorded Candidate
	if err := json.Unmarshal(e.Data, &recorded); err != nil {
		return fmt.Errorf("%w: ledger entry %d records no candidate", ErrCorrupt, e.Seq)
	}
	c.expect(k, candidateKey(recorded.Agent, uint64(recorded.Number)), func(v []byte) bool {
		var d Candidate
		recorded.Ledger = e.Seq
		return decodeDocument(v, &d) == nil && sameEntry(d, recorded)
	})
	return nil
}
