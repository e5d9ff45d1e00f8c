package policy

import (
	"cmp"
	"math"
	"strconv"
	"time"
)

// sense determines which of two values of a setting is stricter.
type sense int

const (
	less  sense = iota // the smaller value is stricter, and unset is the loosest
	more               // the larger value is stricter, and unset is the loosest
	fixed              // no value is stricter than another: the setting cannot be tightened
)

// group identifies the settings that are meaningful only together, such as those of a
// breaker.
type group int

const (
	single group = iota
	rate
	breaking
)

// field describes one setting by the functions that read, copy, check and compare it.
type field struct {
	name  string
	group group
	// set reports whether a layer sets the setting.
	set  func(*Settings) bool
	text func(*Settings) string
	take func(dst, src *Settings)
	// valid reports whether the value is within its range; an unset value is valid.
	valid func(*Settings) bool
	// stricter reports whether a allows strictly less than b; the setting must be set in
	// a.
	stricter func(a, b *Settings) bool
	equal    func(a, b *Settings) bool
}

func scalar[T cmp.Ordered](name string, g group, s sense, low, high T, at func(*Settings) *T, text func(T) string) field {
	var none T
	return field{
		name: name, group: g,
		set:   func(s *Settings) bool { return *at(s) != none },
		text:  func(s *Settings) string { return text(*at(s)) },
		take:  func(dst, src *Settings) { *at(dst) = *at(src) },
		valid: func(s *Settings) bool { v := *at(s); return v == none || v >= low && v <= high },
		stricter: func(a, b *Settings) bool {
			x, y := *at(a), *at(b)
			switch s {
			case less:
				return y == none || x < y
			case more:
				return x > y
			}
			return false
		},
		equal: func(a, b *Settings) bool { return *at(a) == *at(b) },
	}
}

func duration(name string, g group, s sense, at func(*Settings) *time.Duration) field {
	return scalar(name, g, s, 1, math.MaxInt64, at, time.Duration.String)
}

func number(name string, g group, s sense, high int, at func(*Settings) *int) field {
	return scalar(name, g, s, 1, high, at, strconv.Itoa)
}

func share(name string, g group, s sense, at func(*Settings) *float64) field {
	return scalar(name, g, s, math.SmallestNonzeroFloat64, 1, at, decimal)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func integer(v int64) string { return strconv.FormatInt(v, 10) }

// Upper limits of ranges, so a typing error causes neither high memory use nor an overflow.
const (
	maxAttempts    = 100
	maxWindow      = 10_000
	maxConcurrency = 1_000_000
	maxUSD         = 1e9
)

// budget returns the four settings of one scope.
func budget(scope string, at func(*Settings) *Budget) []field {
	name := "per_" + scope + "."
	return []field{
		scalar(name+"calls", single, less, 1, math.MaxInt64, func(s *Settings) *int64 { return &at(s).Calls }, integer),
		scalar(name+"tokens", single, less, 1, math.MaxInt64, func(s *Settings) *int64 { return &at(s).Tokens }, integer),
		scalar(name+"usd", single, less, 1/nanosPerUSD, maxUSD, func(s *Settings) *float64 { return &at(s).USD }, decimal),
		duration(name+"elapsed", single, less, func(s *Settings) *time.Duration { return &at(s).Elapsed }),
	}
}

// fields returns all settings in the order in which they are reported.
func fields() []field {
	all := []field{
		duration("deadline", single, less, func(s *Settings) *time.Duration { return &s.Deadline }),
		number("attempts", single, less, maxAttempts, func(s *Settings) *int { return &s.Attempts }),
		duration("backoff", single, more, func(s *Settings) *time.Duration { return &s.Backoff }),
		duration("max_backoff", single, more, func(s *Settings) *time.Duration { return &s.MaxBackoff }),
		number("breaker_calls", breaking, fixed, maxWindow, func(s *Settings) *int { return &s.BreakerCalls }),
		share("breaker_failures", breaking, less, func(s *Settings) *float64 { return &s.BreakerFailures }),
		duration("breaker_slow", breaking, less, func(s *Settings) *time.Duration { return &s.BreakerSlow }),
		share("breaker_slow_share", breaking, less, func(s *Settings) *float64 { return &s.BreakerSlowShare }),
		duration("breaker_open", breaking, more, func(s *Settings) *time.Duration { return &s.BreakerOpen }),
		number("breaker_probes", breaking, fixed, maxWindow, func(s *Settings) *int { return &s.BreakerProbes }),
		number("rate_calls", rate, less, math.MaxInt, func(s *Settings) *int { return &s.RateCalls }),
		duration("rate_per", rate, more, func(s *Settings) *time.Duration { return &s.RatePer }),
		duration("rate_wait", single, less, func(s *Settings) *time.Duration { return &s.RateWait }),
		number("concurrency", single, less, maxConcurrency, func(s *Settings) *int { return &s.Concurrency }),
		duration("queue_wait", single, less, func(s *Settings) *time.Duration { return &s.QueueWait }),
	}
	all = append(all, budget("run", func(s *Settings) *Budget { return &s.PerRun })...)
	all = append(all, budget("agent", func(s *Settings) *Budget { return &s.PerAgent })...)
	all = append(all, budget("day", func(s *Settings) *Budget { return &s.PerDay })...)
	return append(all, exhausted(),
		scalar("degraded_to", single, fixed, "", "\U0010FFFF", func(s *Settings) *string { return &s.DegradedTo },
			func(v string) string { return v }))
}

// exhausted returns the field exhausted. It is the only field for which an unset value is
// the strictest, because unset means deny.
func exhausted() field {
	deny := func(s *Settings) bool { return s.Exhausted != Degrade }
	return field{
		name:     "exhausted",
		set:      func(s *Settings) bool { return s.Exhausted != "" },
		text:     func(s *Settings) string { return string(s.Exhausted) },
		take:     func(dst, src *Settings) { dst.Exhausted = src.Exhausted },
		valid:    func(s *Settings) bool { return s.Exhausted == "" || s.Exhausted == Deny || s.Exhausted == Degrade },
		stricter: func(a, b *Settings) bool { return deny(a) && !deny(b) },
		equal:    func(a, b *Settings) bool { return deny(a) == deny(b) },
	}
}
