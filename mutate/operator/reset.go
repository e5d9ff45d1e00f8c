package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// Reset is the name of the operator that restores declared defaults. [Refuse] never
// refuses its children.
const Reset = "reset"

// reset returns the declared default.
func reset(p agent.Param, old any, _ float64, _ *rand.Rand) (any, bool) {
	return clone(p.Default), !equal(old, p.Default)
}
