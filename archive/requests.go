package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
)

// Limits for a stored change request. The call itself is stored whole or refused, because a
// permission applies to the exact call; explanations are truncated.
const (
	maxCallName      = 1 << 10  // bytes, for each of type, target and tool
	maxCallArguments = 64 << 10 // bytes
	maxCallReason    = 4 << 10  // bytes
	// maxOpenRequests limits the number of requests of one agent that await a person.
	maxOpenRequests = 200
	// maxRequestTimes limits the number of stored times at which the same request was
	// made.
	maxRequestTimes = 10
)

// Errors about change requests that callers distinguish with errors.Is.
var (
	// ErrTooLarge means that a record exceeds its bound and was not stored.
	ErrTooLarge = errors.New("too large to be stored")
	// ErrFull means that an agent has the maximum number of open requests.
	ErrFull = errors.New("the limit on open requests has been reached")
	// ErrDecided means that a person has already decided on the request.
	ErrDecided = errors.New("decided already")
)

// RequestState is the state of a change request.
type RequestState string

// The states of a change request.
const (
	RequestOpen     RequestState = "open"
	RequestApproved RequestState = "approved"
	RequestDenied   RequestState = "denied"
)

// ChangeRequestRecord is an agent's request for something that it may not do itself.
// Everything in Request is untrusted text.
type ChangeRequestRecord struct {
	// ID is "R<number>"; Request.ID is the hash of the request.
	ID      string              `json:"id"`
	State   RequestState        `json:"state"`
	Agent   string              `json:"agent"`
	Request agent.ChangeRequest `json:"request"`
	// Session and Turn identify where the request was first made; they are empty if that is
	// unknown.
	Session string `json:"session,omitempty"`
	Turn    string `json:"turn,omitempty"`
	// Created and Last are the times at which the request was first and last made, and
	// Count is the number of times that it was made.
	Created time.Time `json:"created,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	Count   int       `json:"count"`
	// Times holds the most recent times at which the request was made, the oldest first.
	Times    []time.Time      `json:"times,omitempty"`
	Decision *RequestDecision `json:"decision,omitempty"`
}

// RequestDecision is a person's decision on a change request.
type RequestDecision struct {
	// Action is "approve" or "deny".
	Action string    `json:"action"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	// Proposal is the proposal that an approval led to; it is empty if there is none.
	Proposal string `json:"proposal,omitempty"`
	// Entry is the number of the decision's ledger entry; DecideRequest sets it.
	Entry int64 `json:"entry"`
}

func requestKey(number uint64) key { return newKey(tableRequest).number(number) }

func requestHashKey(agentID, hash string) key {
	return newKey(tableRequestHash).text(agentID).text(hash)
}

// PutRequest stores a request of r.Agent under the next free id, with the ledger entry
// "request.create" in the same transaction, and returns the stored record. If the same
// agent repeats a request, decided or not, PutRequest only updates Count, Times and Last of
// the stored record and returns that record. ID, Count, State, Last, Times and Decision of
// r are ignored. PutRequest fails with ErrTooLarge if the call exceeds its bounds, and with
// ErrFull if the request is new and the agent already has two hundred open requests.
func (a *Archive) PutRequest(ctx context.Context, r ChangeRequestRecord) (ChangeRequestRecord, error) {
	r, err := normalizeRequest(r)
	if err != nil {
		return r, fmt.Errorf("store a change request: %w", err)
	}
	err = a.change(ctx, "store a change request", func(b *batch) error {
		known, err := a.number(ctx, requestHashKey(r.Agent, r.Request.ID))
		if err != nil {
			return err
		}
		if known != 0 {
			r, err = a.countRepeat(ctx, b, known, r)
			return err
		}
		if err := a.checkOpenRequests(ctx, r.Agent); err != nil {
			return err
		}
		last, err := a.number(ctx, counterKey(countRequests, ""))
		if err != nil {
			return err
		}
		r.ID, r.State, r.Count, r.Last, r.Times, r.Decision = fmt.Sprintf("R%d", last+1), RequestOpen, 1, r.Created, []time.Time{r.Created}, nil
		b.put(counterKey(countRequests, ""), encodeNumber(last+1))
		if err := putRequest(b, r, last+1); err != nil {
			return err
		}
		arguments := sha256.Sum256(r.Request.Arguments)
		_, err = a.noteRequest(ctx, b, r, "create", r.Agent, r.Created, map[string]string{
			"hash": r.Request.ID, "type": r.Request.Type, "tool": r.Request.Tool, "target": r.Request.Target,
			"arguments_sha256": hex.EncodeToString(arguments[:]),
		})
		return err
	})
	return r, err
}

// countRepeat adds a repetition to the count and the times of the stored request with the
// given number. It fails if again is a different call.
func (a *Archive) countRepeat(ctx context.Context, b *batch, number uint64, again ChangeRequestRecord) (ChangeRequestRecord, error) {
	r, err := document[ChangeRequestRecord](ctx, a, requestKey(number))
	if err != nil {
		return r, err
	}
	if !sameCall(r.Request, again.Request) {
		return r, fmt.Errorf("%s, a different call, has the same hash as %q", again.Request.ID, r.ID)
	}
	r.Count++
	r.Times = append(r.Times, again.Created)
	r.Times = r.Times[max(0, len(r.Times)-maxRequestTimes):]
	if again.Created.After(r.Last) {
		r.Last = again.Created
	}
	return r, putRequest(b, r, number)
}

// sameCall reports whether two requests with the same hash are for the same call. A
// collision of the short hash must not transfer a permission to another call.
func sameCall(x, y agent.ChangeRequest) bool {
	return x.Type == y.Type && x.Target == y.Target && x.Tool == y.Tool && bytes.Equal(bench.CanonicalJSON(x.Arguments), bench.CanonicalJSON(y.Arguments))
}

// checkOpenRequests fails with ErrFull if an agent has the maximum number of open requests.
func (a *Archive) checkOpenRequests(ctx context.Context, agentID string) error {
	open := 0
	for r, err := range a.Requests(ctx) {
		if err != nil {
			return err
		}
		if r.Agent == agentID && r.State == RequestOpen {
			open++
		}
	}
	if open >= maxOpenRequests {
		return fmt.Errorf("%d requests by agent %q: %w", open, agentID, ErrFull)
	}
	return nil
}

// normalizeRequest normalises a request to the form that is stored.
func normalizeRequest(r ChangeRequestRecord) (ChangeRequestRecord, error) {
	q := &r.Request
	r.Agent = validText(r.Agent)
	q.Type, q.Target, q.Tool = validText(q.Type), validText(q.Target), validText(q.Tool)
	q.Reason, q.ID = truncate(q.Reason, maxCallReason), validText(q.ID)
	q.Arguments = normalizeJSON(q.Arguments)
	q.RequiresHumanApproval = true
	r.Session, r.Turn = truncate(r.Session, maxCallName), truncate(r.Turn, maxCallName)
	r.Created, r.Last = normalizeTime(r.Created), normalizeTime(r.Last)
	switch {
	case r.Agent == "" || q.ID == "":
		return r, errors.New("it needs an agent and a hash")
	case encodedLen(q.Type) > maxCallName || encodedLen(q.Target) > maxCallName || encodedLen(q.Tool) > maxCallName ||
		encodedLen(q.ID) > maxCallName || encodedLen(r.Agent) > maxCallName || len(q.Arguments) > maxCallArguments:
		return r, ErrTooLarge
	}
	return r, nil
}

func putRequest(b *batch, r ChangeRequestRecord, number uint64) error {
	b.put(requestHashKey(r.Agent, r.Request.ID), encodeNumber(number))
	return putDocument(b, requestKey(number), r)
}

// noteRequest adds a ledger entry about a request to a batch.
func (a *Archive) noteRequest(ctx context.Context, b *batch, r ChangeRequestRecord, action, actor string, at time.Time, data any) (LedgerEntry, error) {
	return a.chainData(ctx, b, LedgerEntry{Time: at, Kind: "request." + action, Actor: actor, Subject: r.ID}, data)
}

// Request finds a change request by its id, whose letter may be upper or lower case.
func (a *Archive) Request(ctx context.Context, id string) (ChangeRequestRecord, error) {
	r, _, err := numbered[ChangeRequestRecord](ctx, a, "change request", id, 'R', tableRequest)
	return r, err
}

// Requests yields all change requests, ordered by number.
func (a *Archive) Requests(ctx context.Context) iter.Seq2[ChangeRequestRecord, error] {
	return documents[ChangeRequestRecord](ctx, a, "list the change requests", newKey(tableRequest), nil)
}

// DecideRequest stores a person's decision on an open request with its ledger entry (kind
// "request.<action>") in one synced transaction, and returns the record. The entry of an
// approval holds the exact call. DecideRequest fails with ErrDecided if the request has
// been decided already.
func (a *Archive) DecideRequest(ctx context.Context, id string, d RequestDecision) (ChangeRequestRecord, error) {
	var r ChangeRequestRecord
	d.Time = normalizeTime(d.Time)
	d.Reason = truncate(d.Reason, maxCallReason)
	state, known := map[string]RequestState{"approve": RequestApproved, "deny": RequestDenied}[d.Action]
	err := a.change(ctx, "decide on change request "+id, func(b *batch) (err error) {
		if r, err = a.Request(ctx, id); err != nil {
			return err
		}
		switch {
		case !known || d.By == "":
			return errors.New("a decision needs an action and the name of the person who decided")
		case r.State != RequestOpen:
			return fmt.Errorf("%s is %s: %w", r.ID, r.State, ErrDecided)
		}
		data := struct {
			Agent string `json:"agent"`
			Hash  string `json:"hash"`
			RequestDecision
			Entry int64                `json:"entry,omitempty"` // not known yet; the ledger entry contains it anyway
			Call  *agent.ChangeRequest `json:"call,omitempty"`
		}{Agent: r.Agent, Hash: r.Request.ID, RequestDecision: d}
		if state == RequestApproved {
			data.Call = &r.Request
		}
		entry, err := a.noteRequest(ctx, b, r, d.Action, d.By, d.Time, data)
		if err != nil {
			return err
		}
		d.Entry = entry.Seq
		r.State, r.Decision = state, &d
		n, _ := parseID('R', r.ID)
		return putRequest(b, r, n)
	})
	return r, err
}
