package archive

import (
	"time"

	"evolve/runtime/agent"
)

// Exposure records one opening of a holdout.
type Exposure struct {
	Agent string `json:"agent"`
	Run   string `json:"run"`
	// SuiteHash identifies the tasks that were exposed.
	SuiteHash string           `json:"suite_hash"`
	Variants  []agent.ConfigID `json:"variants"`
	Tasks     int              `json:"tasks"`
	// FirstRepeat is the first of the repeat numbers that the opening used up, and Repeats
	// is how many it used up.
	FirstRepeat int       `json:"first_repeat"`
	Repeats     int       `json:"repeats"`
	Time        time.Time `json:"time,omitzero"`
}
