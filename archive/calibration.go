package archive

import (
	"context"
	"encoding/json"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// CalibrationKind is the kind of the ledger's entries that hold a [Calibration]; their
// subject is the suite.
const CalibrationKind = "judge.calibration"

// Calibration is the ledger's record of a comparison of a suite's judge with labels of
// people.
type Calibration struct {
	Suite string `json:"suite"`
	// Judges are the definitions of the judges that graded, and Models identifies the models
	// behind all judges of the suite: a calibration holds for these alone.
	Judges []string `json:"judges"`
	Models string   `json:"models"`
	// Model names the model for people.
	Model     string          `json:"model"`
	Agreement stats.Agreement `json:"agreement"`
	// Missing is the number of labels without a verdict.
	Missing int         `json:"missing,omitempty"`
	Usage   agent.Usage `json:"usage"`
	// Time is that of the entry.
	Time time.Time `json:"-"`
}

// Calibrations returns the calibrations of a suite, the latest last.
func (a *Archive) Calibrations(ctx context.Context, suite string) ([]Calibration, error) {
	var list []Calibration
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return nil, err
		}
		var c Calibration
		if e.Kind == CalibrationKind && json.Unmarshal(e.Data, &c) == nil && c.Suite == suite {
			c.Time = e.Time
			list = append(list, c)
		}
	}
	return list, nil
}
