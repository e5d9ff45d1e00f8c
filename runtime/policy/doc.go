// Package policy implements the guardrails around every call of a tool and of a
// provider: deadline, retries by declared effect, circuit breaker, rate limit,
// concurrency limit with fair queueing, and budgets. It resolves the settings of a call
// and the layer that each of them came from, enforces them with failsafe-go, and keeps
// the latencies and saturation of every tool and provider. It writes nothing and is
// independent of tools and models: callers pass a function.
//
// # Layers
//
// Layers are resolved built in → environment → origin → role → tool or provider; mcp
// comes before mcp:<server>. A layer may be looser than the one before it, except that
// for foreign origins (mcp and authored) the environment only tightens the built-in
// settings: only later layers can loosen them. All layers are the operator's: no agent,
// model or config reaches them.
//
//	                 local   authored  mcp          provider
//	deadline         10s     10s       8s           120s
//	attempts         1       1         1            4
//	backoff          -       -         250ms … 2s   500ms … 30s
//	breaker, window  -       10        10           20
//	  failures       -       50 %      50 %         50 %
//	  slow           -       -         80 % > 6s    -
//	  open, probes   -       30s, 1    30s, 1       30s, 2
//	rate             -       -         5 a second   -
//	  wait           -       -         5s           60s
//	concurrency      -       -         4            16
//	  wait           -       -         5s           60s
//	budgets          -       -         -            -
//
// Nothing about a local tool depends on time except its deadline, so that an agent that
// declares itself deterministic can be. Without a wait setting, an attempt waits as
// long as its deadline allows. No default for a foreign tool is looser than a local
// tool's. The concurrency of mcp, or of mcp:<server>, holds for all tools of a server
// together: a slow server leaves the others free.
//
// The stricter value of each setting is the following; an unset one is the loosest
// unless noted:
//
//	deadline, attempts, concurrency, rate_wait, queue_wait, per_…: less
//	backoff, max_backoff: more, since it spares the other side
//	rate_calls with rate_per, as a pair: a longer interval between two calls
//	breaker_failures, breaker_slow, breaker_slow_share: less; breaker_open: more
//	breaker_calls, breaker_probes: not comparable, so fixed where there is a breaker;
//	    where there is none, a whole breaker may be added
//	exhausted: deny, which is also the meaning of an unset one; degraded_to: fixed
//
// # Order
//
// Policies apply from the outermost to the innermost; everything inside the retries
// happens once for each attempt.
//
//  1. Deadline. It bounds waiting, pauses and attempts together, and Do returns by
//     then even if the function does not.
//  2. Retries. A pause holds no permit. A pause that would exceed the deadline is not
//     begun, and a server's retry-after is never shortened.
//  3. Budget. It never waits, so a call over budget takes no place in a queue. Each
//     attempt is charged: its estimate is reserved before and replaced by what was
//     spent after. A budget of time is not reserved; it ends attempts when the time
//     used by all of them together reaches it.
//  4. A look at the breakers and at a hold, to refuse calls that would wait in vain.
//  5. Fair queue, of the tool and then of its server. Permits go round among agents. It is outside the rate, because a
//     limiter promises its slots ahead: an agent with many calls would own them all.
//  6. Hold and rate. While a retry-after that one call received runs, all calls of
//     that tool or provider wait. Calls that wait for a slot take turns, too.
//  7. Breaker. It is innermost, so that it decides at the moment of the real call and
//     sees single attempts without their waits.
//
// # Breakers
//
// A Failure counts against the breaker, unless it is rate limited or cancelled, which
// does not count at all; neither does a call that its caller cancelled or ended before
// half of the deadline. Every other answer counts as healthy, though it may be slow.
// The breaker opens with the first call that makes the share of a full window certain:
// with the fifth failure where it is half of ten, even if that is the fifth call.
//
// # Functions that do not end
//
// A function whose deadline passed, or whose caller left, is abandoned: its goroutine
// keeps its permit and its reservation until it ends, and is charged then. At most 32
// functions of one tool or provider are abandoned at a time, or as many as its
// concurrency; after that its calls are refused as circuit_open, or wait for a permit.
// Engine.Wait waits for them.
package policy
