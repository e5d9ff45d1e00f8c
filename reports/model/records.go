package model

import "evolve/archive"

// The types of the archive's records that a report contains unchanged. The renderings use
// these names and do not import the archive.
type (
	GateVerdict   = archive.GateVerdict
	AgentLimit    = archive.AgentLimit
	RunRemoved    = archive.RunRemoved
	PatchNote     = archive.PatchNote
	ToolNote      = archive.ToolNote
	DecisionBrief = archive.DecisionBrief
)

// The verdicts and the proposal states that the renderings distinguish.
const (
	Adopt     = archive.Adopt
	Trade     = archive.Trade
	Keep      = archive.Keep
	Undecided = archive.Undecided
	Waits     = archive.Waits
	Refused   = archive.Refused
	Awaiting  = archive.Awaiting
	HumanLane = archive.HumanLane
	Drafted   = archive.Drafted

	Adopted    = archive.Adopted
	RolledBack = archive.RolledBack
)

// The run states that the renderings distinguish.
const (
	RunRunning     = archive.RunRunning
	RunFailed      = archive.RunFailed
	RunInterrupted = archive.RunInterrupted
)
