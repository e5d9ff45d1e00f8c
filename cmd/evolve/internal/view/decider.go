package view

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The decisions of a [Decider].
const (
	Approve  = "approve"
	Reject   = "reject"
	Rollback = "rollback"
)

// Decider asks and records as the command line does.
type Decider interface {
	// Ask returns the question before a decision, or the error by which it is refused.
	Ask(ctx context.Context, action, id string, a Answer) (Question, error)
	// Decide records a decision, and returns what has happened in words. Where the decision needs
	// longer, such as for the gates of a patch, so does it.
	Decide(ctx context.Context, action, id string, a Answer) (string, error)
	// Refusal returns an error as the command line prints it, with its hint.
	Refusal(err error) (words, hint string)
}

// Question is what a person reads before a decision.
type Question struct {
	// Sections are what the command line shows before it asks.
	Sections []Section
	// Reason and Override report that a reason is needed for the decision, and for overriding a
	// gate that flagged the proposal.
	Reason, Override bool
	// By is the deciding person.
	By string
}

// Digest identifies what was shown, so that a decision is on that and nothing else.
func (q Question) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %#v", q.By, q.Sections))
	return hex.EncodeToString(sum[:])
}

// Answer is what a person answers.
type Answer struct{ Reason, Override string }
