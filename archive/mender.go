package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// mender makes the readable records consistent again: it rebuilds indexes, counters and
// the candidates that the ledger records, and drops records that still refer to missing
// records.
type mender struct {
	ctx context.Context
	s   *salvaged
	a   *Archive
}

// ledger retains the entries from the first one up to the first break in the chain, and
// rebuilds the head. It returns how many entries after the break can be read.
func (m *mender) ledger(r *Repair) (behind int, err error) {
	last := ledgerHead{}
	if head, err := m.a.ledgerHead(m.ctx); err == nil {
		r.LedgerKnown = max(r.LedgerKnown, head.Seq)
	}
	var beyond []string
	err = m.s.scan(m.ctx, newKey(tableLedger), nil, func(k, value []byte) error {
		var e LedgerEntry
		if decodeDocument(value, &e) == nil {
			r.LedgerKnown = max(r.LedgerKnown, e.Seq)
			if len(beyond) == 0 && bytes.Equal(k, ledgerKey(e.Seq)) && checkEntry(e, last) == nil {
				last = ledgerHead{e.Seq, e.Hash}
				return nil
			}
			behind++
		}
		beyond = append(beyond, string(k))
		return nil
	})
	if err != nil {
		return behind, err
	}
	for _, k := range beyond {
		m.s.drop(k)
	}
	var b batch
	if err := putDocument(&b, counterKey(countLedger, ""), last); err != nil {
		return behind, err
	}
	r.Ledger = last.Seq
	return behind, m.s.write(&b)
}

// rounds limits the number of passes over the records. Several may be needed, because
// dropping one record can break a reference from another.
const rounds = 16

// mend rebuilds the derived records, and then drops inconsistent records until a pass finds
// none. It fails if that takes too many passes.
func (m *mender) mend() error {
	if err := m.derive(); err != nil {
		return err
	}
	for range rounds {
		n, err := m.prune()
		if err != nil || n == 0 {
			return err
		}
	}
	return fmt.Errorf("%w: its records do not agree with each other", ErrCorrupt)
}

// counters holds the highest numbers found, by the keys of their counters.
type counters map[string]uint64

func (c counters) raise(counter, agentID string, n uint64) {
	k := string(counterKey(counter, agentID))
	c[k] = max(c[k], n)
}

// derive rebuilds indexes and counters from the records, and candidates from the ledger.
func (m *mender) derive() error {
	var b batch
	counts := counters{}
	err := m.s.scan(m.ctx, nil, nil, func(k, value []byte) error {
		r := readKey(k[0], k)
		switch k[0] {
		case tableCounter:
			counter, agentID := r.text(), r.text()
			if n, err := decodeNumber(value); err == nil && counter != countLedger {
				counts.raise(counter, agentID, n)
			}
		case tableVariant:
			var v Variant
			if decodeDocument(value, &v) == nil && v.Number > 0 {
				b.put(variantIDKey(v.Agent, v.ID), encodeNumber(uint64(v.Number)))
				counts.raise(countVariants, v.Agent, uint64(v.Number))
			}
		case tableEvaluation:
			if s, err := decodeEvaluation(k, value); err == nil {
				m.index(&b, k, &s)
			}
		case tableRun:
			var d Run
			if decodeDocument(value, &d) == nil && d.Number > 0 {
				b.put(runIDKey(d.ID), encodeNumber(uint64(d.Number)))
			}
		case tableTally: // dropped, because evaluations that it counts may be lost
			m.s.drop(string(k))
		case tableProposal:
			counts.raise(countProposals, "", r.number())
		case tableTurn:
			counts.raise(countTurns, "", r.number())
		case tableExposure, tableCandidate:
			counter, agentID := map[byte]string{tableExposure: countExposures, tableCandidate: countCandidates}[k[0]], r.text()
			counts.raise(counter, agentID, r.number())
		case tableLedger:
			return m.restoreCandidate(&b, value, counts)
		case tableRequest:
			var d ChangeRequestRecord
			if n := r.number(); decodeDocument(value, &d) == nil {
				b.put(requestHashKey(d.Agent, d.Request.ID), encodeNumber(n))
				counts.raise(countRequests, "", n)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, n := range counts {
		b.put([]byte(k), encodeNumber(n))
	}
	if _, ok := m.s.records[string(schemaKey())]; !ok {
		b.put(schemaKey(), encodeNumber(schemaVersion))
	}
	return m.s.write(&b)
}

// index adds the index entry for an evaluation's content if there is no valid one.
func (m *mender) index(b *batch, place []byte, s *storedEvaluation) {
	content := contentKey(tableKey, s.Key)
	if f, ok := m.s.records[string(content)]; ok {
		if to, err := m.s.value(string(content), f); err == nil {
			if _, there := m.s.records[string(to)]; there {
				return
			}
		}
	}
	switch {
	case s.first != nil:
		if _, there := m.s.records[string(s.first)]; there {
			b.put(content, bytes.Clone(s.first))
		}
	case s.Scored:
		b.put(content, bytes.Clone(place))
	}
}

// restoreCandidate rebuilds an unreadable candidate from the ledger entry that recorded
// how it entered the confirmation. The candidate gets the state that it had then. It is
// not dropped, because the error control must count every entry.
func (m *mender) restoreCandidate(b *batch, entry []byte, counts counters) error {
	var e LedgerEntry
	var c Candidate
	entered := decodeDocument(entry, &e) == nil && e.Kind == ledgerEnter && json.Unmarshal(e.Data, &c) == nil && c.Number > 0
	if !entered {
		return nil
	}
	k := candidateKey(c.Agent, uint64(c.Number))
	if f, ok := m.s.records[string(k)]; ok {
		var d Candidate
		value, err := m.s.value(string(k), f)
		if err != nil {
			return err
		}
		if decodeDocument(value, &d) == nil {
			return nil
		}
	}
	c.Ledger = e.Seq
	counts.raise(countCandidates, c.Agent, uint64(c.Number))
	return putCandidate(b, c)
}

// prune drops the records that are garbled or refer to missing ones, and returns how many
// it dropped.
func (m *mender) prune() (int, error) {
	c := newChecker(m.ctx, m.a)
	var bad []string
	follow := func() error {
		for _, l := range c.links {
			values, err := m.s.get(m.ctx, l.to)
			if err != nil {
				return err
			}
			if values[0] == nil || !l.agree(values[0]) {
				bad = append(bad, string(l.from))
			}
		}
		c.links = c.links[:0]
		return nil
	}
	err := m.s.scan(m.ctx, nil, nil, func(k, value []byte) error {
		err := c.pair(k, value)
		if err == nil {
			return follow()
		}
		if errors.Is(err, ErrCorrupt) {
			err = nil
			bad = append(bad, string(k))
			c.links = c.links[:0]
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, k := range bad {
		if _, ok := m.s.records[k]; ok && k[0] != tableLedger {
			m.s.drop(k)
			n++
		}
	}
	m.s.keys = nil
	return n, nil
}
