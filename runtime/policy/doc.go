// Package policy owns the guardrails around every call of a tool and of a
// provider: deadline, retries by declared effect, circuit breaker, rate limit,
// concurrency cap with fair queueing, and budgets. It resolves which settings hold
// for a call and where each of them came from, enforces them with failsafe-go, and
// keeps the latencies and saturation of every tool and provider. It writes nothing
// and knows no tool and no model: those hand it a function.
//
// Layers are resolved environment → origin → role → tool or provider → invocation.
// A layer that the operator wrote may be looser than the one before it; an
// invocation, which an agent, a model or a config could reach, is only ever stricter.
package policy
