// Package autonomy defines the ladder of what an agent may do in live turns: its five
// levels, the tool calls that each level allows, and the requirements for a higher level.
// The package only computes: the archive stores the levels and gathers the figures, the
// registry of tools enforces which calls are allowed, and only a person raises a level.
package autonomy
