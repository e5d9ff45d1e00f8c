package view

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The decisions that a [Decider] can record.
const (
	Approve  = "approve"
	Reject   = "reject"
	Rollback = "rollback"
)

// Decider asks for decisions and records them, as the command line does.
type Decider interface {
	// Ask returns the question that precedes a decision, or the error with which the
	// decision is refused.
	Ask(ctx context.Context, action, id string, a Answer) (Question, error)
	// Decide records a decision, and returns a description of what has happened. It takes
	// as long as the decision needs, for example for the gates of a patch.
	Decide(ctx context.Context, action, id string, a Answer) (string, error)
	// Refusal returns the text of an error as the command line prints it, with the error's
	// hint.
	Refusal(err error) (words, hint string)
}

// Question is what a person reads before a decision.
type Question struct {
	// Sections holds what the command line shows before it asks the question.
	Sections []Section
	// Reason reports whether the decision needs a reason, and Override reports whether a
	// reason is needed to override a gate that flagged the proposal.
	Reason, Override bool
	// By is the person who decides.
	By string
}

// Digest identifies the shown content, so that a decision applies only to that content.
func (q Question) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %#v", q.By, q.Sections))
	return hex.EncodeToString(sum[:])
}

// Answer holds a person's answers to a question.
type Answer struct{ Reason, Override string }
