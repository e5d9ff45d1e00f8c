package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"evolve/runtime/agent"
)

// Check reads the whole archive: every table and record can be read, every index entry
// matches its record in both directions, no counter is behind, and the ledger's chain is
// intact. The first fault is returned as an ErrCorrupt that describes it. On an archive
// that is being written to, it checks each part as it was when it was read.
func (a *Archive) Check(ctx context.Context) error {
	if err := a.CheckFiles(); err != nil {
		return err
	}
	c := checker{a: a, ctx: ctx}
	err := a.store.scan(ctx, nil, nil, func(k, value []byte) error {
		if err := c.pair(k, value); err != nil {
			return err
		}
		if len(c.links) >= 256 {
			return c.follow()
		}
		return nil
	})
	if err == nil {
		err = c.follow()
	}
	if err != nil {
		return err
	}
	_, _, err = a.VerifyLedger(ctx)
	return err
}

// CheckFiles checks every file of the archive against its checksums and the other files; a
// *DamageError names the first damaged one. It reads no record, and does nothing in a
// process that reads through another one's socket.
func (a *Archive) CheckFiles() error {
	if v, ok := a.store.(interface{ verify() error }); ok {
		return v.verify()
	}
	return nil
}

// link is a pair that must exist because another one refers to it.
type link struct {
	from  key
	to    key
	agree func(value []byte) bool
}

type checker struct {
	a     *Archive
	ctx   context.Context
	links []link
}

func (c *checker) expect(from, to key, agree func(value []byte) bool) {
	c.links = append(c.links, link{bytes.Clone(from), to, agree})
}

// follow checks the targets of the gathered links.
func (c *checker) follow() error {
	keys := make([][]byte, len(c.links))
	for i, l := range c.links {
		keys[i] = l.to
	}
	values, err := c.a.store.get(c.ctx, keys...)
	if err != nil {
		return err
	}
	for i, l := range c.links {
		if values[i] == nil || !l.agree(values[i]) {
			return fmt.Errorf("%w: the entry %q does not agree with %q", ErrCorrupt, []byte(l.from), []byte(l.to))
		}
	}
	c.links = c.links[:0]
	return nil
}

// pair decodes one entry and gathers its links. Tables of a later evolve are ignored.
func (c *checker) pair(k, value []byte) error {
	r := readKey(k[0], k)
	var err error
	switch k[0] {
	case tableMeta:
		r.text()
		_, err = decodeNumber(value)
	case tableCounter:
		counter := r.text()
		r.text()
		if counter == countLedger {
			err = decodeSound(value, &ledgerHead{})
		} else {
			var n uint64
			if n, err = decodeNumber(value); err == nil {
				err = sane("the count of "+counter, n)
			}
		}
	case tableVariant:
		err = c.variant(k, r, value)
	case tableVariantID:
		agentID, _ := r.text(), r.text()
		var n uint64
		if n, err = decodeNumber(value); err == nil {
			own := bytes.Clone(k)
			c.expect(k, variantKey(agentID, n), func(v []byte) bool {
				var d Variant
				return decodeDocument(v, &d) == nil && bytes.Equal(variantIDKey(d.Agent, d.ID), own)
			})
		}
	case tableEvaluation:
		return c.evaluation(k, value)
	case tableKey:
		return c.contentKey(k, value)
	case tableTranscript:
		if _, err = unpackHex(k[1:]); err == nil {
			_, err = c.a.packer.unpack(value)
		}
		r.rest = nil
	case tableRun:
		n := math.MaxUint64 - r.number()
		var d Run
		if err = decodeSound(value, &d); err == nil && uint64(d.Number) != n {
			err = fmt.Errorf("%w: run %s stands in the place of %d", ErrCorrupt, d.ID, n)
		}
		if err == nil {
			err = sane("run "+d.ID, n)
		}
		c.expect(k, runIDKey(d.ID), isNumber(n))
	case tableRunID:
		r.text()
		var n uint64
		if n, err = decodeNumber(value); err == nil {
			c.expect(k, runKey(int(n)), func([]byte) bool { return true })
		}
	case tablePlan:
		r.text()
		r.text()
		err = decodeSound(value, &AgentPlan{})
	case tableResult:
		r.text()
		r.text()
		err = decodeSound(value, &AgentResult{})
	case tableProposal:
		n := r.number()
		var p ProposalRecord
		if err = decodeSound(value, &p); err == nil && p.ID != fmt.Sprintf("P%d", n) {
			err = fmt.Errorf("%w: proposal %s stands in the place of %d", ErrCorrupt, p.ID, n)
		}
		c.expect(k, counterKey(countProposals, ""), atLeast(n))
	case tableDecision:
		seq := r.number()
		err = decodeSound(value, &DecisionRecord{})
		c.expect(k, ledgerKey(int64(seq)), func([]byte) bool { return true })
	case tableLedger:
		r.number()
		err = c.entered(k, value)
	case tableExposure:
		agentID := r.text()
		n := r.number()
		err = decodeSound(value, &Exposure{})
		c.expect(k, counterKey(countExposures, agentID), atLeast(n))
	case tableCandidate:
		err = c.candidate(k, r, value)
	case tableMutation:
		for range 5 {
			r.text()
		}
		err = decodeSound(value, &Mutation{})
	case tableRequest:
		err = c.request(k, r, value)
	case tableRequestHash:
		r.text()
		r.text()
		var n uint64
		if n, err = decodeNumber(value); err == nil {
			own := bytes.Clone(k)
			c.expect(k, requestKey(n), func(v []byte) bool {
				var d ChangeRequestRecord
				return decodeDocument(v, &d) == nil && bytes.Equal(requestHashKey(d.Agent, d.Request.ID), own)
			})
		}
	case tableTurn:
		n := r.number()
		var t TurnRecord
		if err = decodeSound(value, &t); err == nil && t.ID != fmt.Sprintf("T%d", n) {
			err = fmt.Errorf("%w: turn %s stands in the place of %d", ErrCorrupt, t.ID, n)
		}
		c.expect(k, counterKey(countTurns, ""), atLeast(n))
		c.expect(k, turnTranscriptKey(n), func([]byte) bool { return true })
	case tableTurnTranscript:
		c.expect(k, turnKey(r.number()), func([]byte) bool { return true })
		_, err = c.a.packer.unpack(value)
	case tableSession:
		r.text()
		r.text()
		err = decodeSound(value, &agent.Session{})
	case tableIntent:
		n := r.number()
		err = decodeSound(value, &Intent{})
		c.expect(k, proposalKey(n), func([]byte) bool { return true })
	case tableTally:
		r.text()
		r.text()
		err = decodeSound(value, &storedTally{})
	case tableToolHealth:
		err = c.toolHealth(k, r, value)
	default:
		return nil
	}
	if err = errors.Join(err, r.done()); err != nil && !errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: the entry %q: %w", ErrCorrupt, k, err)
	}
	return err
}

func (c *checker) variant(k []byte, r *reading, value []byte) error {
	agentID, n := r.text(), r.number()
	var v Variant
	if err := decodeSound(value, &v); err != nil {
		return err
	}
	if v.Agent != agentID || uint64(v.Number) != n || v.Config.ID() != v.ID {
		return fmt.Errorf("%w: variant %d of %q is not what it says it is", ErrCorrupt, n, agentID)
	}
	c.expect(k, variantIDKey(agentID, v.ID), isNumber(n))
	c.expect(k, counterKey(countVariants, agentID), atLeast(n))
	return nil
}

func (c *checker) request(k []byte, r *reading, value []byte) error {
	n := r.number()
	var d ChangeRequestRecord
	if err := decodeSound(value, &d); err != nil {
		return err
	}
	if d.ID != fmt.Sprintf("R%d", n) || (d.State == RequestOpen) != (d.Decision == nil) {
		return fmt.Errorf("%w: change request %d is not what it says it is", ErrCorrupt, n)
	}
	c.expect(k, requestHashKey(d.Agent, d.Request.ID), isNumber(n))
	c.expect(k, counterKey(countRequests, ""), atLeast(n))
	if told := d.Decision; told != nil {
		c.expect(k, ledgerKey(told.Entry), func(v []byte) bool {
			var e LedgerEntry
			return decodeDocument(v, &e) == nil && e.Kind == "request."+told.Action && e.Subject == d.ID
		})
	}
	return nil
}

func (c *checker) evaluation(k, value []byte) error {
	s, err := decodeEvaluation(k, value)
	if err != nil {
		return err
	}
	line := evaluationLine(s.Evaluation)
	if err := checkRecord(&line); err != nil {
		return err
	}
	place := key(bytes.Clone(k))
	content := contentKey(tableKey, s.Key)
	switch {
	case s.first != nil:
		first := s.first
		c.expect(k, content, func(v []byte) bool { return bytes.Equal(v, first) })
	case s.Scored:
		c.expect(k, content, func(v []byte) bool { return bytes.Equal(v, place) })
	}
	return nil
}

func (c *checker) contentKey(k, value []byte) error {
	text, err := unpackHex(k[1:])
	if err != nil {
		return fmt.Errorf("%w: an evaluation's key: %w", ErrCorrupt, err)
	}
	place := key(bytes.Clone(value))
	c.expect(k, place, func(v []byte) bool {
		s, err := decodeEvaluation(place, v)
		return err == nil && s.first == nil && s.Scored && string(s.Key) == text
	})
	return nil
}

func isNumber(n uint64) func([]byte) bool {
	return func(v []byte) bool {
		m, err := decodeNumber(v)
		return err == nil && m == n
	}
}

func atLeast(n uint64) func([]byte) bool {
	return func(v []byte) bool {
		m, err := decodeNumber(v)
		return err == nil && m >= n
	}
}
