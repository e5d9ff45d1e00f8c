package experience

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// ForEvaluations returns the part that an evaluation may depend on. It leaves out the open
// conversations and the feedback for one conversation or until a time, because an evaluation
// belongs to no conversation and to no day, and the signatures of failures, which are for
// those who build tools.
func (e *Experience) ForEvaluations() *Experience {
	out := *e
	out.Turns, out.Updated, out.Recent, out.Signatures, out.LastFeedback = 0, time.Time{}, nil, nil, 0
	out.Lessons = e.Lessons.forEvaluations()
	out.Feedback = slices.DeleteFunc(slices.Clone(e.Feedback), func(f Feedback) bool { return !f.Lasts() })
	if n := len(out.Feedback); n > 0 { // the ids go up to LastFeedback
		out.LastFeedback, _ = feedbackNumber(out.Feedback[n-1].ID)
	}
	return &out
}

// Digest identifies the experience; "" where there is none.
func (e *Experience) Digest() string {
	if e == nil || len(e.Capsules)+len(e.Domains)+len(e.Stated)+len(e.Corrections)+len(e.Recent)+len(e.Feedback) == 0 && !e.Lessons.Any() {
		return ""
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // cannot happen: its numbers are finite
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
