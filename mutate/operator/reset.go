package operator

import (
	"math/rand/v2"

	"evolve/runtime/agent"
)

// Reset is the name of the operator that goes back to declared defaults. What its
// children bring back is brought back on purpose: see [Refuse].
const Reset = "reset"

// reset goes back to the declared default.
func reset(p agent.Param, old any, _ float64, _ *rand.Rand) (any, bool) {
	return clone(p.Default), !equal(old, p.Default)
}
