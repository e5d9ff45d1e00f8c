package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"evolve/runtime/agent"
)

// inlined limits the size of a message, in bytes; larger content goes to an object store.
// Servers allow 1 MiB unless they are configured otherwise.
const inlined = 256 << 10

// traceHeader is the job header that contains the job's trace context.
const traceHeader = "traceparent"

// deadlineHeader is the job header that contains the time, in RFC 3339, at which the run
// gives up on the job. A job without a time limit has no such header.
const deadlineHeader = "evolve-deadline"

// clockSkew is the largest difference that is assumed between the clocks of a run and a
// worker. A worker drops a job this long after the job's deadline, so that a worker whose
// clock is ahead does not drop a job for which the run is still waiting.
const clockSkew = time.Minute

// expired reports whether the deadline in a header has passed for a worker at the given
// time. A header that is not a valid time sets no deadline, because the run itself
// withdraws the job.
func expired(header string, now time.Time) bool {
	deadline, err := time.Parse(time.RFC3339Nano, header)
	return err == nil && now.Sub(deadline) > clockSkew
}

// Offer holds everything that a worker needs to open an agent.
type Offer struct {
	// Run is the id of the run, and Agent is the id of the offered agent. Logs name both.
	Run   string `json:"run"`
	Agent string `json:"agent"`
	// Binary identifies the program, which must be the same for the run and the worker.
	// Version is the program's name for people.
	Binary  string `json:"binary"`
	Version string `json:"version"`
	// Hash is a hash over the agent's folder.
	Hash string `json:"hash"`
	// Epoch differs between the processes of a run, because each of them opens the agent
	// anew.
	Epoch string `json:"epoch"`
	// Queue names the consumer from which workers take jobs. It changes when a server has
	// lost its streams, because an acknowledgement of an old job must not remove a new one.
	Queue string `json:"queue"`
	// Bundle is the digest of the folder from which the agent is opened.
	Bundle string `json:"bundle"`
	// Needs lists the environment variables whose values are passed to the agent.
	Needs []string `json:"needs,omitempty"`
	// Walls describes the isolation of the agent's programs on the machine of the run.
	Walls string `json:"walls"`
	// AnyWalls reports whether workers may use a different isolation.
	AnyWalls bool `json:"any_walls,omitempty"`
	// AckWait is how long a job's worker may be silent before the job is given to another
	// worker. MaxAttempts is the number of workers that may end while they run a job; after
	// that, the job fails.
	AckWait     time.Duration `json:"ack_wait"`
	MaxAttempts int           `json:"max_attempts"`
}

// job is one request to an agent.
type job struct {
	ID string `json:"id"`
	// Digest is the digest of the job's request. It is the same for each attempt and in
	// each process of a run. The answer repeats the digest, which shows that the worker had
	// the job.
	Digest string `json:"digest"`
	// Name is the id of the request that is passed to the agent.
	Name         string        `json:"name"`
	Task         agent.Task    `json:"task"`
	Config       agent.Config  `json:"config"`
	Seed         int64         `json:"seed"`
	Limits       agent.Limits  `json:"limits"`
	Session      agent.Session `json:"session"`
	Continues    bool          `json:"continues,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	// Workdir reports whether the agent gets a working directory. Folder is the digest of
	// the directory's content; it is empty for an empty directory.
	Workdir bool   `json:"workdir,omitempty"`
	Folder  string `json:"folder,omitempty"`
	// Renewal is the number of times that the agent must have been renewed before the job.
	Renewal int `json:"renewal,omitempty"`
}

// sum sets the digest.
func (j *job) sum() error {
	c := *j
	c.ID, c.Digest, c.Name, c.Renewal = "", "", "", 0
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("writing the job: %w", err)
	}
	j.Digest = digestOf(data)
	return nil
}

// answer is a worker's response to a job.
type answer struct {
	ID string `json:"id"`
	// Job is the digest of the job.
	Job    string `json:"job"`
	Worker string `json:"worker"`
	// Delivery is the number of times that the job was given to workers, including this
	// one.
	Delivery int          `json:"delivery"`
	Result   agent.Result `json:"result"`
	// Elapsed is the time that the agent took, without its waits for shared limits.
	Elapsed time.Duration `json:"elapsed"`
	// Changed reports whether the agent changed its working directory. Folder is the digest
	// of the new content; it is empty for an empty directory.
	Changed bool   `json:"changed,omitempty"`
	Folder  string `json:"folder,omitempty"`
}

// part stands for a message that is stored in an object store under its digest.
type part struct {
	Part string `json:"part"`
	// ID is the id of the job, and Job is the digest of its request, so that its receiver
	// can still answer a message whose content is lost.
	ID  string `json:"id"`
	Job string `json:"job"`
}

// digestOf returns the SHA-256 of data in hexadecimal.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tokenOf returns the token T (see the package documentation) for an agent of a run. T is
// safe in subjects and keys, and reveals neither the run nor the agent.
func tokenOf(run, agentID string) string { return digestOf([]byte(run + "\x00" + agentID))[:24] }

// check returns an error if an answer has invalid values.
func (a *answer) check() error {
	r := &a.Result
	switch {
	case !r.Outcome.Valid():
		return fmt.Errorf("the outcome %.40q is unknown", string(r.Outcome))
	case r.Score != nil && !(*r.Score >= 0 && *r.Score <= 1):
		return errors.New("the score is not in [0,1]")
	case !(r.Confidence >= 0 && r.Confidence <= 1):
		return errors.New("the confidence is not in [0,1]")
	case a.Elapsed < 0 || r.Waited < 0:
		return errors.New("a time is negative")
	case !(r.Usage.CostUSD >= 0) || math.IsInf(r.Usage.CostUSD, 0), r.Usage.InputTokens < 0, r.Usage.OutputTokens < 0, r.Usage.CachedTokens < 0, r.Usage.Iterations < 0, r.Usage.ToolCalls < 0:
		return errors.New("a usage figure is negative or not finite")
	}
	return nil
}
