package archive

import (
	"context"
	"encoding/json"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// CalibrationKind is the kind of the ledger entries that hold a [Calibration]. The subject
// of these entries is the suite.
const CalibrationKind = "judge.calibration"

// Calibration is the ledger's record of a comparison of a suite's judge with labels given
// by people.
type Calibration struct {
	Suite string `json:"suite"`
	// Judges holds the definitions of the judges that graded, and Models identifies the
	// models used by all judges of the suite. A calibration is valid only for these.
	Judges []string `json:"judges"`
	Models string   `json:"models"`
	// Model is the name of the model as it is shown to people.
	Model     string          `json:"model"`
	Agreement stats.Agreement `json:"agreement"`
	// Missing is the number of labels for which the judge gave no verdict.
	Missing int         `json:"missing,omitempty"`
	Usage   agent.Usage `json:"usage"`
	// Time is the time of the ledger entry.
	Time time.Time `json:"-"`
}

// Calibrations returns the calibrations of a suite, the latest one last.
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
