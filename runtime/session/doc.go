// Package session implements the state of a conversation in addition to its turns: the
// order and budget of the prompt's sections, notes, working state, the distillation of a
// long history, the route that a message asks for, the suggestion to delegate, and the
// blackboard that agents share. All of it is limited in size and deterministic and, except
// for the blackboard, consists of pure functions; the caller stores it. The package imports
// only agent and memory, so both tools and turns can use it.
package session
