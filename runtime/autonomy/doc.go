// Package autonomy defines the ladder of what an agent may do in live turns: its five
// levels, the calls of tools that each allows, and the requirements for a higher one. All of
// it is pure: the archive stores the levels and gathers the figures, the registry of tools
// enforces the calls, and only a person raises a level.
package autonomy
