// Package policy owns the guardrails around every call of a tool and of a
// provider: deadline, retries by declared effect, circuit breaker, rate limit,
// concurrency cap with fair queueing, and budgets. It resolves which settings hold
// for a call and where each of them came from, enforces them with failsafe-go, and
// keeps the latencies and saturation of every tool and provider. It writes nothing
// and knows no tool and no model: those hand it a function.
//
// # Layers
//
// Layers are resolved built in → environment → origin → role → tool or provider →
// invocation; mcp comes before mcp:<server>. A layer that the operator wrote may be
// looser than the one before it, but the environment only tightens what is built in
// for foreign origins (mcp and authored): those are loosened by name or not at all.
// An invocation, which an agent, a model or a config could reach, is only ever
// stricter; what is not stricter is ignored and named. It gets a limiter and a
// breaker of its own beside the shared ones, so that it neither escapes nor trips
// them, and slows no other down.
//
//	                 local   authored  mcp          provider
//	deadline         10s     10s       20s          120s
//	attempts         1       1         2            4
//	backoff          -       -         250ms … 2s   500ms … 30s
//	breaker, window  -       10        10           20
//	  failures       -       50 %      50 %         50 %
//	  slow           -       -         80 % > 15s   -
//	  open, probes   -       30s, 1    30s, 1       30s, 2
//	rate             -       -         5 a second   -
//	  wait           -       -         5s           60s
//	concurrency      -       -         4            16
//	  wait           -       -         10s          60s
//	budgets          -       -         -            -
//
// A local tool has nothing that depends on time but its deadline, so that an agent
// that declares itself deterministic can be. Without a wait of its own, an attempt
// waits as long as its deadline allows.
//
// Stricter is, where none at all is the loosest unless something else is said:
//
//	deadline, attempts, concurrency, rate_wait, queue_wait, per_…: less
//	backoff, max_backoff: more, since it spares the other side
//	rate_calls with rate_per, as a pair: a longer interval between two calls
//	breaker_failures, breaker_slow, breaker_slow_share: less; breaker_open: more
//	breaker_calls, breaker_probes: not comparable, so fixed where there is a breaker;
//	    where there is none, a whole breaker may be added
//	exhausted: deny, which is also what saying nothing means; degraded_to: fixed
//
// # Order
//
// What is further out is passed first; everything inside the retries happens once
// for each attempt.
//
//  1. Deadline. It bounds waiting, pauses and attempts together, and Do returns by
//     then even if the function does not.
//  2. Retries. A pause holds no permit. One that the deadline would cut off is not
//     begun, and a server's retry-after is never shortened.
//  3. Budget. It never waits, so a call that cannot be paid for takes no place in a
//     queue. Each attempt is paid for: its estimate is set aside before and replaced
//     by what was spent after. A budget of time is not set aside; it ends attempts
//     when what all of them have used together reaches it.
//  4. A look at the breakers and at a hold, to refuse what would wait in vain.
//  5. Fair queue. Permits go round among agents. It is outside the rate, because a
//     limiter promises its slots ahead: an agent with many calls would own them all.
//  6. Hold and rate. While a retry-after runs that one call was told, all calls of
//     that tool or provider wait. Those that wait for a slot take turns, too.
//  7. Breaker, innermost, so that it is asked when the call would really be made and
//     sees single attempts without their waits.
//
// # Breakers
//
// A Failure counts against the breaker, but for one that is rate limited or
// cancelled, which counts for nothing; so does a call that its caller cancelled or
// gave less than half of the deadline to. Every other answer is healthy, though it
// may be slow. It opens with the first call that makes the share of a full window
// certain: with the fifth failure where it is half of ten, were it the fifth call.
//
// # Functions that do not end
//
// A function whose deadline passed, or whose caller left, is abandoned: its
// goroutine keeps its permit and what was set aside for it until it ends, and is
// charged then. At most 32 of one tool or provider are left behind in this way, or
// as many as its concurrency; after that its calls are refused as circuit_open, or
// wait for a permit. Engine.Wait waits for them.
package policy
