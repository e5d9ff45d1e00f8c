// Package policy implements the guardrails around every call to a tool or a provider:
// deadline, retries by declared effect, circuit breaker, rate limit, concurrency limit
// with fair queueing, and budgets. It resolves the settings of a call and the layer from
// which each of them comes, enforces them with failsafe-go, and records the latencies and
// saturation of every tool and provider. It writes nothing and is independent of tools
// and models: callers pass a function.
//
// # Layers
//
// Layers are resolved in the order built in → environment → origin → role → tool or
// provider; mcp comes before mcp:<server>. A layer may be looser than the one before it,
// with one exception: for foreign origins (mcp and authored) the environment can only
// tighten the built-in settings, and only later layers can loosen them. All layers belong
// to the operator: no agent, model or config can change them.
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
// For a local tool nothing depends on time except its deadline, so an agent that declares
// itself deterministic can be deterministic. Without a wait setting, an attempt waits as
// long as its deadline allows. No default for a foreign tool is looser than the default
// for a local tool. The concurrency of mcp, or of mcp:<server>, applies to all tools of a
// server together, so a slow server does not hold up other servers.
//
// Of two values of a setting, the stricter one is given below; an unset value is the
// loosest unless stated otherwise:
//
//	deadline, attempts, concurrency, rate_wait, queue_wait, per_…: less
//	backoff, max_backoff: more, because it spares the remote service
//	rate_calls with rate_per, as a pair: a longer interval between two calls
//	breaker_failures, breaker_slow, breaker_slow_share: less; breaker_open: more
//	breaker_calls, breaker_probes: not comparable, so fixed if there is a breaker;
//	    if there is none, a whole breaker may be added
//	exhausted: deny, which an unset value also means; degraded_to: fixed
//
// # Order
//
// Policies apply from the outermost to the innermost; everything inside the retries
// happens once for each attempt.
//
//  1. Deadline. It limits waiting, pauses and attempts together, and Do returns by
//     then even if the function does not.
//  2. Retries. A pause holds no permit. A pause that would exceed the deadline is not
//     begun, and a server's retry-after is never shortened.
//  3. Budget. It never waits, so a call over budget takes up no place in a queue. Each
//     attempt is charged: its estimate is reserved before the attempt and afterwards
//     replaced by the actual spending. A time budget is not reserved; it ends attempts
//     when their total running time reaches it.
//  4. A check of the breakers and of a hold, to refuse calls that would wait in vain.
//  5. Fair queue, first of the tool and then of its server. Permits rotate among
//     agents. The queue is outside the rate, because a limiter promises its slots in
//     advance: an agent with many calls would own them all.
//  6. Hold and rate. While a retry-after that one call received is in force, all calls
//     to that tool or provider wait. Calls that wait for a slot also take turns.
//  7. Breaker. It is innermost, so it decides at the moment of the real call and
//     sees single attempts without their waits.
//
// # Breakers
//
// A Failure counts against the breaker, unless its outcome is rate limited or cancelled.
// Such a failure does not count at all, and neither does a call that its caller cancelled
// or ended before half of the deadline. Every other answer counts as healthy, though it
// may count as slow. The breaker opens with the first call that makes it certain that a
// full window would reach the share: if the share is half of ten, it opens with the fifth
// failure, even if that is the fifth call.
//
// # Functions that do not end
//
// A function whose deadline passed, or whose caller left, is abandoned: its goroutine
// holds its permit and its reservation until it ends, and is charged then. At most 32
// functions of one tool or provider, or as many as its concurrency, may be abandoned at a
// time; beyond that, calls to the tool or provider are refused as circuit_open, or wait
// for a permit. Engine.Wait waits for abandoned functions.
package policy
