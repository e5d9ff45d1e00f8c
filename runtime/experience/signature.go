package experience

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Signature is a group of equal failures for which the tool itself is responsible (see
// [Capsule.Judged]): failures of the same method, in the same domain, with the same outcome
// and message.
type Signature struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	// Domain is the domain of the turns; it is [Global] if they have none.
	Domain  string        `json:"domain"`
	Outcome agent.Outcome `json:"outcome"`
	// Message is the cause without the parts that differ from call to call; see
	// [Normalized].
	Message string    `json:"message,omitempty"`
	Count   int       `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	// Turns holds the ids of the last eight turns with such a failure, oldest first.
	Turns []string `json:"turns,omitempty"`
}

// Limits on signatures: their number per tool and per agent, the length of a message in
// bytes, and the number of turns listed. Without the limit per tool, a tool whose failures
// keep producing new messages would displace the signatures of other tools.
const (
	maxToolSignatures = 16
	maxSignatures     = 320
	keptMessage       = 120
	maxSigned         = 8 // turns of a signature
)

// The parts of a cause that differ from call to call: quotations, hexadecimal identifiers
// and numbers.
var (
	quotedPart = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|(^|[^\\pL\\pN])'[^']*'")
	hexPart    = regexp.MustCompile(`\b(0[xX])?[0-9a-fA-F]*([0-9][a-fA-F]|[a-fA-F][0-9])[0-9a-fA-F]*(-[0-9a-fA-F]{4,})*\b`)
	numberPart = regexp.MustCompile(`[0-9]+([.,:][0-9]+)*`)
)

// Normalized returns a cause on one line, with each quotation replaced by "…" and each
// hexadecimal identifier and number replaced by #, cut to 120 bytes. Causes that differ
// only in these parts become equal.
func Normalized(cause string) string {
	s := text.OneLine(cause)
	s = quotedPart.ReplaceAllString(s, `$1"…"`)
	s = hexPart.ReplaceAllString(s, "#")
	s = numberPart.ReplaceAllString(s, "#")
	return text.Clip(s, keptMessage, text.Ellipsis)
}

// SignaturesOf returns the signatures of a tool, the most frequent first; equally frequent
// signatures are ordered from the latest to the oldest.
func (e *Experience) SignaturesOf(tool string) []Signature {
	var out []Signature
	for _, s := range e.Signatures {
		if s.Tool == clipped(tool) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Signature) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last))
	})
	return out
}

// sign counts a turn's failed call under its signature.
func (e *Experience) sign(call Call, t Turn) {
	s := Signature{
		Tool: clipped(call.Tool), Method: clipped(call.Method), Domain: domainName(t.Domain), Outcome: call.Outcome,
		Message: Normalized(call.Cause), First: t.Time, Last: t.Time,
	}
	s.count(t)
	i, found := slices.BinarySearchFunc(e.Signatures, s, compareSignatures)
	if found {
		e.Signatures[i].count(t)
		return
	}
	ofTool := 0
	for _, other := range e.Signatures {
		if other.Tool == s.Tool {
			ofTool++
		}
	}
	switch {
	case ofTool >= maxToolSignatures:
		e.dropSignature(func(other Signature) bool { return other.Tool == s.Tool })
	case len(e.Signatures) >= maxSignatures:
		e.dropSignature(func(Signature) bool { return true })
	}
	i, _ = slices.BinarySearchFunc(e.Signatures, s, compareSignatures)
	e.Signatures = slices.Insert(e.Signatures, i, s)
}

// count adds a failure in a turn.
func (s *Signature) count(t Turn) {
	s.Count++
	if t.Time.Before(s.First) {
		s.First = t.Time
	}
	if t.Time.After(s.Last) {
		s.Last = t.Time
	}
	if t.ID != "" && !slices.Contains(s.Turns, t.ID) {
		s.Turns = newest(append(s.Turns, t.ID), maxSigned)
	}
}

// forgetSignatures removes a signature if all turns recorded for it are forgotten, that
// is, if no other recorded turn had its message.
func (e *Experience) forgetSignatures(forgotten func(turn string) bool) {
	e.Signatures = slices.DeleteFunc(e.Signatures, func(s Signature) bool {
		return len(s.Turns) > 0 && !slices.ContainsFunc(s.Turns, func(id string) bool { return !forgotten(id) })
	})
	for i, s := range e.Signatures {
		e.Signatures[i].Turns = slices.DeleteFunc(s.Turns, forgotten)
	}
}

// dropSignature removes the rarest of the signatures for which the function among returns
// true; of equally rare ones, it removes the oldest.
func (e *Experience) dropSignature(among func(Signature) bool) {
	least := -1
	for i, s := range e.Signatures {
		if !among(s) {
			continue
		}
		if least < 0 || cmp.Or(cmp.Compare(s.Count, e.Signatures[least].Count), s.Last.Compare(e.Signatures[least].Last)) < 0 {
			least = i
		}
	}
	e.Signatures = slices.Delete(e.Signatures, least, least+1)
}

// compareSignatures orders signatures by the fields that equal failures share.
func compareSignatures(a, b Signature) int {
	return cmp.Or(
		strings.Compare(a.Tool, b.Tool), strings.Compare(a.Method, b.Method), strings.Compare(a.Domain, b.Domain),
		strings.Compare(string(a.Outcome), string(b.Outcome)), strings.Compare(a.Message, b.Message),
	)
}
