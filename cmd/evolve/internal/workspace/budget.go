package workspace

import (
	"regexp"
	"time"
)

// DefaultEvaluations is the number of evaluations of a run for which no limit at all is
// given.
const DefaultEvaluations = 2000

// NoLimit is the hint for a limit of a run that is written as none or as endless.
const NoLimit = "leave it out where there is no such limit"

// Budget limits a run, all its agents together. Zero fields are no limit; any of them
// may be combined, and whatever is reached first binds.
type Budget struct {
	Evaluations int
	// USD is reserved before it is spent.
	USD  float64
	Time time.Duration
	// Until is the local time of day, HH:MM, by which the run is done.
	Until string
}

// The largest limits of a run. They catch slips of the keyboard.
const (
	MostEvaluations = maxCount
	MostUSD         = maxUSD
	MostTime        = 31 * 24 * time.Hour
)

// Override returns b with every limit that o gives in the place of its own.
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
		{name: "evaluations", doc: "evaluations; 2000 where no limit at all is given, here or by a flag", field: whole[int]{&b.Evaluations, 1, MostEvaluations}, example: "5000"},
		{name: "usd", doc: "money in USD, reserved before it is spent", field: number{to: &b.USD, max: MostUSD, above: true, hint: NoLimit}, example: "5"},
		{name: "time", doc: "wall time, such as 90m or 6h", field: duration{&b.Time, time.Second, MostTime}, example: "6h"},
		{name: "until", doc: "local time of day by which a run is done, report included; the next such time", field: text{to: &b.Until, pattern: clockPattern, rule: "a time of day such as 06:00"}, example: `"06:00"`},
	}}
}
