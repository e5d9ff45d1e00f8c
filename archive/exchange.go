package archive

import (
	"encoding/json"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// An export has one JSON object on each line. The first line is the header and the last the
// trailer. The records between them are ordered so that references point only to earlier
// lines. Names in the JSON never change; an import refuses an unknown version.
//
//	{"kind":"archive","value":{"schema":1,"archive":"…"}}
//	{"kind":"variant","value":{…}}
//	{"kind":"end","value":{"lines":2,"sha256":"…"}}
type line struct {
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
}

// The kinds of line, in the order in which an export contains them.
const (
	lineHeader     = "archive"
	lineRun        = "run"
	linePlan       = "plan"
	lineVariant    = "variant"
	lineEvaluation = "evaluation"
	lineTranscript = "transcript"
	lineResult     = "result"
	lineProposal   = "proposal"
	lineDecision   = "decision"
	lineLedger     = "ledger"
	lineExposure   = "exposure"
	lineCandidate  = "candidate"
	lineMutation   = "mutation"
	lineSession    = "session"
	lineTurn       = "turn"
	lineRequest    = "request"
	lineToolHealth = "tool_health"
	lineQuestion   = "question"
	lineExperience = "experience"
	lineAutonomy   = "autonomy"
	lineEnd        = "end"
)

type headerLine struct {
	Schema int `json:"schema"`
	// Archive is the id of the archive that was exported; exports by an older evolve do not
	// contain it.
	Archive string `json:"archive,omitempty"`
}

// trailerLine contains the number of lines before it and the hash of these lines,
// including their newlines.
type trailerLine struct {
	Lines  int    `json:"lines"`
	SHA256 string `json:"sha256"`
}

// transcriptLine is the transcript that belongs to all evaluations with a key.
type transcriptLine struct {
	Key        bench.Key        `json:"key"`
	Transcript agent.Transcript `json:"transcript"`
}

// decisionLine is a decision with the number of its ledger entry.
type decisionLine struct {
	Seq      int64          `json:"seq"`
	Decision DecisionRecord `json:"decision"`
}

// sessionLine is a session with its agent and name.
type sessionLine struct {
	Agent   string        `json:"agent"`
	Name    string        `json:"name"`
	Session agent.Session `json:"session"`
}

// experienceLine is the experience gathered from an agent's live turns.
type experienceLine struct {
	Agent      string                `json:"agent"`
	Experience experience.Experience `json:"experience"`
}
