// Package session owns what lives beside the turns of a conversation: notes, working
// state, the blackboard that agents share, the distillation of a long history, and
// the suggestion to delegate. Everything in it is bounded and pure; storing is the
// caller's.
package session
