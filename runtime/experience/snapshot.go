package experience

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// ForEvaluations returns the part of the experience that an evaluation may depend on. It
// leaves out open conversations and feedback limited to a conversation or a period, because
// an evaluation does not belong to a conversation or to a date. It also leaves out the
// signatures of failures, which are intended for tool developers.
func (e *Experience) ForEvaluations() *Experience {
	out := *e
	out.Turns, out.Updated, out.Recent, out.Signatures, out.LastFeedback = 0, time.Time{}, nil, nil, 0
	out.Lessons = e.Lessons.forEvaluations()
	out.Feedback = slices.DeleteFunc(slices.Clone(e.Feedback), func(f Feedback) bool { return !f.Lasts() })
	if n := len(out.Feedback); n > 0 { // LastFeedback must be at least the highest id
		out.LastFeedback, _ = feedbackNumber(out.Feedback[n-1].ID)
	}
	return &out
}

// Digest returns a string that identifies the experience, or "" if there is no experience.
func (e *Experience) Digest() string {
	if e == nil || len(e.Capsules)+len(e.Domains)+len(e.Stated)+len(e.Corrections)+len(e.Recent)+len(e.Feedback) == 0 && !e.Lessons.Any() {
		return ""
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // cannot happen, because all numbers in e are finite
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
