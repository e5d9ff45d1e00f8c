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

// inlined bounds a message, in bytes; what is larger goes to an object store. Servers allow
// 1 MiB unless they are configured otherwise.
const inlined = 256 << 10

// traceHeader is the header of a job with the context of its trace.
const traceHeader = "traceparent"

// deadlineHeader is the header of a job with the time at which its run gives it up, in RFC 3339.
// A job that may take any time has none.
const deadlineHeader = "evolve-deadline"

// clockSkew is the largest assumed difference between the clocks of a run and a worker. A worker
// drops a job this long after its deadline, so that a worker whose clock is ahead does not drop a
// job that the run still waits for.
const clockSkew = time.Minute

// expired reports whether the deadline in a header has passed for a worker at a time. A header
// that is no time sets no deadline: the run withdraws the job itself.
func expired(header string, now time.Time) bool {
	deadline, err := time.Parse(time.RFC3339Nano, header)
	return err == nil && now.Sub(deadline) > clockSkew
}

// Offer holds everything that a worker needs to open an agent.
type Offer struct {
	// Run is the id of the run, and Agent the id of the offered agent. Logs name both.
	Run   string `json:"run"`
	Agent string `json:"agent"`
	// Binary identifies the program, which must be the same on both sides; Version names it
	// for people.
	Binary  string `json:"binary"`
	Version string `json:"version"`
	// Hash covers the agent's folder.
	Hash string `json:"hash"`
	// Epoch differs between the processes of a run: each opens the agent anew.
	Epoch string `json:"epoch"`
	// Queue names the consumer that workers take jobs from. It changes when a server has lost its
	// streams: an acknowledgement of an old job must not remove a new one.
	Queue string `json:"queue"`
	// Bundle is the digest of the folder from which the agent is opened.
	Bundle string `json:"bundle"`
	// Needs are the environment variables whose values the agent gets.
	Needs []string `json:"needs,omitempty"`
	// Walls describes the isolation of the agent's programs on the machine of the run.
	Walls string `json:"walls"`
	// AnyWalls reports whether workers may have another isolation.
	AnyWalls bool `json:"any_walls,omitempty"`
	// AckWait is the time after which a job whose worker sends no sign of life is given to
	// another one; MaxAttempts is the number of workers that a job may terminate.
	AckWait     time.Duration `json:"ack_wait"`
	MaxAttempts int           `json:"max_attempts"`
}

// job is one request to an agent.
type job struct {
	ID string `json:"id"`
	// Digest covers the request of the job: it is the same for each attempt and in each
	// process of a run. The answer returns it, which shows that its worker had the job.
	Digest string `json:"digest"`
	// Name is the request's id as the agent gets it.
	Name         string        `json:"name"`
	Task         agent.Task    `json:"task"`
	Config       agent.Config  `json:"config"`
	Seed         int64         `json:"seed"`
	Limits       agent.Limits  `json:"limits"`
	Session      agent.Session `json:"session"`
	Continues    bool          `json:"continues,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	// Workdir reports whether the agent gets a working directory, and Folder is the digest of
	// its content; empty for an empty one.
	Workdir bool   `json:"workdir,omitempty"`
	Folder  string `json:"folder,omitempty"`
	// Renewal is the number of times that the agent must have been renewed.
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

// answer is what a worker returns for a job.
type answer struct {
	ID string `json:"id"`
	// Job is the digest of the job.
	Job    string `json:"job"`
	Worker string `json:"worker"`
	// Delivery is the number of times that the job was given to workers, this one
	// included.
	Delivery int          `json:"delivery"`
	Result   agent.Result `json:"result"`
	// Elapsed is the time of the agent without its waits for shared limits.
	Elapsed time.Duration `json:"elapsed"`
	// Changed reports whether the agent changed its working directory, and Folder is the digest
	// of the new content; empty for an empty one.
	Changed bool   `json:"changed,omitempty"`
	Folder  string `json:"folder,omitempty"`
}

// part stands for a message that is in an object store under its digest.
type part struct {
	Part string `json:"part"`
	// ID is the id of the job, and Job the digest of its request, so that a message whose content
	// is lost can still be answered.
	ID  string `json:"id"`
	Job string `json:"job"`
}

// digestOf returns the SHA-256 of data in hexadecimal.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tokenOf returns T for the agent of a run, which is safe in subjects and keys and
// reveals neither.
func tokenOf(run, agentID string) string { return digestOf([]byte(run + "\x00" + agentID))[:24] }

// check returns an error for invalid values of an answer.
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
		return errors.New("the usage is out of range")
	}
	return nil
}
