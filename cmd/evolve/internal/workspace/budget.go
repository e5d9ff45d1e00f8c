package workspace

import (
	"regexp"
	"time"
)

// DefaultEvaluations is the maximum number of evaluations in a run for which no limit is
// set.
const DefaultEvaluations = 2000

// NoLimit is the hint about a run limit that is given as zero or infinite.
const NoLimit = "leave it out if there is no such limit"

// Budget limits a run, over all its agents. A zero field sets no limit. Limits may be
// combined; the first limit that is reached applies.
type Budget struct {
	Evaluations int
	// USD is the maximum amount of money. An amount is reserved before it is spent.
	USD  float64
	Time time.Duration
	// Until is the local time of day, HH:MM, by which the run must be done.
	Until string
}

// The largest limits that can be set for a run; they catch typing errors.
const (
	MostEvaluations = maxCount
	MostUSD         = maxUSD
	MostTime        = 31 * 24 * time.Hour
)

// Override returns the limits in b, replaced by those in o where o sets a limit.
func (b Budget) Override(o Budget) Budget {
	if o.Evaluations > 0 {
		b.Evaluations = o.Evaluations
	}
	if o.USD > 0 {
		b.USD = o.USD
	}
	if o.Time > 0 {
		b.Time = o.Time
	}
	if o.Until != "" {
		b.Until = o.Until
	}
	return b
}

var clockPattern = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

func budgetKeys(b *Budget) object {
	return object{keys: []key{
		{name: "evaluations", doc: "maximum number of evaluations; 2000 if no limit is set, here or by a flag", field: whole[int]{&b.Evaluations, 1, MostEvaluations}, example: "5000"},
		{name: "usd", doc: "maximum cost in USD; money is reserved before it is spent", field: number{to: &b.USD, max: MostUSD, above: true, hint: NoLimit}, example: "5"},
		{name: "time", doc: "maximum wall time, such as 90m or 6h", field: duration{&b.Time, time.Second, MostTime}, example: "6h"},
		{name: "until", doc: "local time of day by which a run ends, including its report; the next occurrence of this time applies", field: text{to: &b.Until, pattern: clockPattern, rule: "a time of day such as 06:00"}, example: `"06:00"`},
	}}
}
