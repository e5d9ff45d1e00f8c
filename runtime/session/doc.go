// Package session owns what lives beside the turns of a conversation: the order and
// budget of the prompt's sections, notes, working state, the distillation of a long
// history, the route that a message asks for, the suggestion to delegate, and the
// blackboard that agents share. All of it is bounded and deterministic, and but for
// the blackboard made of pure functions; storing is the caller's. It imports agent
// and memory alone, so that tools and turns can both use it.
package session
