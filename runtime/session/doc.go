// Package session implements the state beside the turns of a conversation: the order
// and budget of the prompt's sections, notes, working state, the distillation of a long
// history, the route that a message asks for, the suggestion to delegate, and the
// blackboard that agents share. All of it is bounded and deterministic and, except for
// the blackboard, made of pure functions; the caller stores it. The package imports
// only agent and memory, so that tools and turns can both use it.
package session
