package contest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"sync"

	"evolve/mutate/internal/lab/problem"
)

// Run is the result of one contestant on one problem with one budget.
type Run struct {
	// Problem is a fingerprint of the problem to which the run applies.
	Problem    string `json:"problem"`
	Family     string `json:"family"`
	Seed       int64  `json:"seed"`
	Budget     int    `json:"budget"`
	Contestant string `json:"contestant"`
	// True, Best and Default are the true scores of the recommendation, of the best config
	// and of the default.
	True    float64 `json:"true"`
	Best    float64 `json:"best"`
	Default float64 `json:"default"`
	// Holdout is the recommendation's true score on the holdout tasks.
	Holdout float64 `json:"holdout"`
	// Milliseconds is the CPU time of the search itself, in milliseconds per evaluation.
	Milliseconds float64 `json:"ms_per_evaluation"`
	// Claim compares the recommendation's score with the claimed score; it is set only for
	// problems that consist of real runs.
	Claim *Claim `json:"claim,omitempty"`
	// Read reports whether the run was read from a file.
	Read bool `json:"-"`
}

// Regret returns the difference between the best true score and the true score of the
// recommendation.
func (r Run) Regret() float64 { return r.Best - r.True }

// Worse reports whether the recommendation's true score is below the default's.
func (r Run) Worse() bool { return r.True < r.Default-1e-9 }

func (r Run) key() string {
	return fmt.Sprint(r.Problem, r.Family, r.Seed, r.Budget, r.Contestant)
}

// fingerprint returns a hash that changes if the problem changes. It does not cover the
// best known config of a real problem, because that config may change.
func fingerprint(p *problem.Problem) string {
	h := fnv.New64a()
	best := 0.0
	if p.Measured == nil {
		_, best = p.Best()
	}
	fmt.Fprint(h, problem.Version, p.Space, p.Tasks, p.True(p.Default()), best)
	for j := range p.Tasks {
		fmt.Fprint(h, p.Score(p.Default(), j, 0, 0, 0).Score)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Kept holds runs in a file, one JSON object per line. It is safe for concurrent use.
type Kept struct {
	mu   sync.Mutex
	file *os.File
	runs map[string]Run
}

// ReadRuns reads a file of runs, one JSON object per line.
func ReadRuns(path string) ([]Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var runs []Run
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		r := Run{Read: true}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		runs = append(runs, r)
	}
	return runs, lines.Err()
}

// Open reads a file of runs, or creates the file if it does not exist. If path is "",
// nothing is stored in a file.
func Open(path string) (*Kept, error) {
	k := &Kept{runs: map[string]Run{}}
	if path == "" {
		return k, nil
	}
	old, err := ReadRuns(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, r := range old {
		k.runs[r.key()] = r
	}
	k.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return k, err
}

// Close closes the file.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// find returns the run for the same problem, budget, seed and contestant.
func (k *Kept) find(r Run) (Run, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.runs[r.key()]
	return found, ok
}

// add stores a run and appends it to the file, if there is one.
func (k *Kept) add(r Run) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runs[r.key()] = r
	if k.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = k.file.Write(append(line, '\n'))
	return err
}
