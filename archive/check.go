package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// Check reads the whole archive and verifies that every table and record can be read, that
// every index entry matches its record in both directions, that no counter lags behind the
// records, and that the ledger's chain is intact. It returns the first fault as an error
// that wraps ErrCorrupt and describes the fault. If the archive is being written to
// meanwhile, each part is checked in the state in which it was read.
func (a *Archive) Check(ctx context.Context) error {
	if err := a.CheckFiles(); err != nil {
		return err
	}
	c := newChecker(ctx, a)
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
// process that reads through the socket of another process.
func (a *Archive) CheckFiles() error {
	if v, ok := a.store.(interface{ verify() error }); ok {
		return v.verify()
	}
	return nil
}

// checkCopied runs CheckFiles before a process that only reads copies the archive. Such a
// process may have skipped files when it opened the archive, and a scan ends early at a
// block that the disk has lost.
func (a *Archive) checkCopied() error {
	if a.writer != nil {
		return nil
	}
	return a.CheckFiles()
}

// link is a pair that must exist because another pair refers to it.
type link struct {
	from  key
	to    key
	agree func(value []byte) bool
}

// pairCheck checks a key-value pair of one table. It reads the parts of the key with r.
type pairCheck func(k, value []byte, r *reading) error

type checker struct {
	a      *Archive
	ctx    context.Context
	tables map[byte]pairCheck
	links  []link
}

// newChecker returns a checker for the tables of this version. It ignores any tables that a
// later version of evolve has added.
func newChecker(ctx context.Context, a *Archive) *checker {
	c := &checker{a: a, ctx: ctx}
	c.tables = map[byte]pairCheck{
		tableMeta: func(_, value []byte, r *reading) error {
			r.text()
			_, err := decodeNumber(value)
			return err
		},
		tableCounter: c.counter,
		tableVariant: c.variant,
		tableVariantID: func(k, value []byte, r *reading) error {
			agentID, _ := r.text(), r.text()
			return checkIndex(c, k, value, func(n uint64) key { return variantKey(agentID, n) },
				func(v *Variant) key { return variantIDKey(v.Agent, v.ID) })
		},
		tableEvaluation: c.evaluation, tableKey: c.contentKey, tableTranscript: c.transcript,
		tableRun: c.run,
		tableRunID: func(k, value []byte, r *reading) error {
			r.text()
			return checkIndex[Run](c, k, value, func(n uint64) key { return runKey(int(n)) }, nil)
		},
		tablePlan: soundDocument[AgentPlan](2), tableResult: soundDocument[AgentResult](2), tableTally: soundDocument[storedTally](2),
		tableAccount:    soundDocument[bench.Account](1),
		tableExperience: soundDocument[experience.Experience](1),
		tableFrozen:     soundDocument[experience.Experience](1),
		tableSession:    soundDocument[agent.Session](2), tableMutation: soundDocument[Mutation](5),
		tableProposal: func(k, value []byte, r *reading) error {
			_, err := checkNumbered(c, k, value, r, "proposal", countProposals, func(p *ProposalRecord) string { return p.ID })
			return err
		},
		tableTurn: func(k, value []byte, r *reading) error {
			n, err := checkNumbered(c, k, value, r, "turn", countTurns, func(t *TurnRecord) string { return t.ID })
			c.expect(k, turnTranscriptKey(n), anything)
			return err
		},
		tableTurnTranscript: func(k, value []byte, r *reading) error {
			c.expect(k, turnKey(r.number()), anything)
			_, err := c.a.packer.unpack(value)
			return err
		},
		tableDecision: func(k, value []byte, r *reading) error {
			c.expect(k, ledgerKey(int64(r.number())), anything)
			return decodeSound(value, &DecisionRecord{})
		},
		tableIntent: func(k, value []byte, r *reading) error {
			c.expect(k, proposalKey(r.number()), anything)
			return decodeSound(value, &Intent{})
		},
		tableExposure: func(k, value []byte, r *reading) error {
			agentID, n := r.text(), r.number()
			c.expect(k, counterKey(countExposures, agentID), atLeast(n))
			return decodeSound(value, &Exposure{})
		},
		tableLedger: c.ledgerEntry, tableCandidate: c.candidate, tableRequest: c.request, tableRequestHash: func(k, value []byte, r *reading) error {
			r.text()
			r.text()
			return checkIndex(c, k, value, requestKey, func(d *ChangeRequestRecord) key { return requestHashKey(d.Agent, d.Request.ID) })
		},
		tableToolHealth: keyedDocument(func(h *ToolHealth) key { return toolHealthKey(h.Agent, h.Tool) }),
		tableAutonomy:   keyedDocument(func(r *AutonomyRecord) key { return autonomyKey(r.Agent) }),
		tableQuestion:   keyedDocument(func(q *Question) key { return questionKey(q.SuiteHash, q.Task) }),
	}
	return c
}

func (c *checker) expect(from, to key, agree func(value []byte) bool) {
	c.links = append(c.links, link{bytes.Clone(from), to, agree})
}

// follow checks that the target of each gathered link exists and agrees with the link, and
// then clears the links.
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
			return fmt.Errorf("%w: the entry %q refers to %q, which is missing or does not match", ErrCorrupt, []byte(l.from), []byte(l.to))
		}
	}
	c.links = c.links[:0]
	return nil
}

// pair checks one pair and gathers its links.
func (c *checker) pair(k, value []byte) error {
	check, known := c.tables[k[0]]
	if !known {
		return nil
	}
	r := readKey(k[0], k)
	err := check(k, value, r)
	if err = errors.Join(err, r.done()); err != nil && !errors.Is(err, ErrCorrupt) {
		err = fmt.Errorf("%w: the entry %q: %w", ErrCorrupt, k, err)
	}
	return err
}

// soundDocument returns a check for documents whose key consists of the given number of
// texts.
func soundDocument[T any](texts int) pairCheck {
	return func(_, value []byte, r *reading) error {
		for range texts {
			r.text()
		}
		return decodeSound(value, new(T))
	}
}

// keyedDocument returns a check for documents whose fields determine their key: keyOf must
// return the key under which the document is stored.
func keyedDocument[T any](keyOf func(*T) key) pairCheck {
	return func(k, value []byte, r *reading) error {
		r.rest = nil
		v := new(T)
		err := decodeDocument(value, v)
		if err == nil && !bytes.Equal(keyOf(v), k) {
			err = errors.New("it is stored under the key of another record")
		}
		return err
	}
}

// checkNumbered checks a record whose id consists of a letter and the number in its key,
// and returns that number.
func checkNumbered[T any](c *checker, k, value []byte, r *reading, what, counter string, id func(*T) string) (uint64, error) {
	n := r.number()
	c.expect(k, counterKey(counter, ""), atLeast(n))
	v := new(T)
	if err := decodeSound(value, v); err != nil {
		return n, err
	}
	if got := id(v); got != fmt.Sprintf("%c%d", what[0]-'a'+'A', n) {
		return n, fmt.Errorf("%w: %s %s is stored under the number %d", ErrCorrupt, what, got, n)
	}
	return n, nil
}

// checkIndex checks an index entry, whose value is the number of a record. place returns
// the key of that record, which must exist. If own is not nil, the key that it returns for
// the record must be the key of this index entry.
func checkIndex[T any](c *checker, k, value []byte, place func(n uint64) key, own func(*T) key) error {
	n, err := decodeNumber(value)
	if err != nil {
		return err
	}
	entry := bytes.Clone(k)
	c.expect(k, place(n), func(data []byte) bool {
		v := new(T)
		return own == nil || decodeDocument(data, v) == nil && bytes.Equal(own(v), entry)
	})
	return nil
}

func anything([]byte) bool { return true }

func (c *checker) counter(_, value []byte, r *reading) error {
	counter := r.text()
	r.text()
	if counter == countLedger {
		return decodeSound(value, &ledgerHead{})
	}
	n, err := decodeNumber(value)
	if err != nil {
		return err
	}
	return checkNumber("the count of "+counter, n)
}

func (c *checker) transcript(k, value []byte, r *reading) error {
	r.rest = nil
	if _, err := unpackHex(k[1:]); err != nil {
		return err
	}
	_, err := c.a.packer.unpack(value)
	return err
}

func (c *checker) run(k, value []byte, r *reading) error {
	n := math.MaxUint64 - r.number()
	var d Run
	if err := decodeSound(value, &d); err != nil {
		return err
	}
	if uint64(d.Number) != n {
		return fmt.Errorf("%w: run %s is stored under the number %d", ErrCorrupt, d.ID, n)
	}
	c.expect(k, runIDKey(d.ID), isNumber(n))
	return checkNumber("run "+d.ID, n)
}

func (c *checker) variant(k, value []byte, r *reading) error {
	agentID, n := r.text(), r.number()
	var v Variant
	if err := decodeSound(value, &v); err != nil {
		return err
	}
	if v.Agent != agentID || uint64(v.Number) != n || v.Config.ID() != v.ID {
		return fmt.Errorf("%w: variant %d of %q does not match its key or its config", ErrCorrupt, n, agentID)
	}
	c.expect(k, variantIDKey(agentID, v.ID), isNumber(n))
	c.expect(k, counterKey(countVariants, agentID), atLeast(n))
	return nil
}

func (c *checker) request(k, value []byte, r *reading) error {
	n := r.number()
	var d ChangeRequestRecord
	if err := decodeSound(value, &d); err != nil {
		return err
	}
	if d.ID != fmt.Sprintf("R%d", n) || (d.State == RequestOpen) != (d.Decision == nil) {
		return fmt.Errorf("%w: change request %d does not match its key, or its state contradicts its decision", ErrCorrupt, n)
	}
	c.expect(k, requestHashKey(d.Agent, d.Request.ID), isNumber(n))
	c.expect(k, counterKey(countRequests, ""), atLeast(n))
	if recorded := d.Decision; recorded != nil {
		c.expect(k, ledgerKey(recorded.Entry), func(v []byte) bool {
			var e LedgerEntry
			return decodeDocument(v, &e) == nil && e.Kind == "request."+recorded.Action && e.Subject == d.ID
		})
	}
	return nil
}

func (c *checker) evaluation(k, value []byte, r *reading) error {
	r.rest = nil
	s, err := decodeEvaluation(k, value)
	if err != nil {
		return err
	}
	if err := checkRecord(&s.Evaluation); err != nil {
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

func (c *checker) contentKey(k, value []byte, r *reading) error {
	r.rest = nil
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
