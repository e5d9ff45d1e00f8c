package safety

import (
	"slices"
	"strings"

	foreign "evolve/runtime/text"
)

// maxAddressed is the maximum number of passages that are listed, and maxAddressedBytes is
// the maximum length of the part of a text that is searched.
const (
	maxAddressed      = 8
	maxAddressedBytes = 1 << 20
)

// Address is a passage of a text that addresses its reviewers.
type Address struct {
	// Line counts from 1.
	Line int
	// Phrase is the phrase found in the passage, in lower case and with look-alike
	// characters replaced.
	Phrase string
}

// Addressed returns the passages of a text, such as a patch or the reason for one, that
// address a human or model reviewer instead of describing something. They are hints for a
// person, and no decision depends on them: a harmless text may contain such a passage, and
// a text without any may still deceive.
func Addressed(text string) []Address {
	lines := strings.Split(strings.ToValidUTF8(foreign.Clip(text, maxAddressedBytes), " "), "\n")
	bare := make([]string, len(lines))
	for i, l := range lines { // a phrase may continue on the next line, after its comment marker
		bare[i] = strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(l), "<!--"), "/#*;- \t")
	}
	var out []Address
	for i := range lines {
		window, next := bare[i], ""
		if i+1 < len(bare) {
			next = bare[i+1]
			window += " " + next
		}
		all := addresses(window)
		if len(all) == 0 {
			continue
		}
		here, below := addresses(bare[i]), addresses(next)
		for _, phrase := range all {
			if slices.Contains(here, phrase) || !slices.Contains(below, phrase) {
				if out = append(out, Address{i + 1, phrase}); len(out) == maxAddressed {
					return out
				}
			}
		}
	}
	return out
}

// addresses returns the phrases found in one passage.
func addresses(text string) []string {
	if text == "" {
		return nil
	}
	found := Marks(text)
	plain := " " + strings.Join(strings.Fields(fold(foreign.Clip(text, maxMarked))), " ") + " "
	for _, phrase := range []string{
		"reviewer:", "reviewers:", "reviewer,", "reviewers,", "note to reviewer", "note to the reviewer", "note for reviewer", "note for the reviewer", "dear reviewer",
		"as the reviewer", "as a reviewer", "reviewer must", "reviewer should", "reviewers must", "reviewers should", "reviewer can", "if you are reviewing", "if you review",
		"you must approve", "you should approve", "please approve", "approve this", "approve it now", "safe to approve", "do not reject", "don't reject", "do not veto", "don't veto", "do not flag", "don't flag",
		"already been approved", "already approved", "already been reviewed", "already reviewed", "skip the review", "skip review", "no need to review", "without review",
		"verdict: approve", `"verdict": "approve"`, `"verdict":"approve"`, "if you are an ai", "if you are a language model", "if you are an llm", "as an ai", "as a language model",
		"<user>", "<assistant>", "<|user|>", "<|assistant|>", "[system]", "### assistant", "### user",
	} {
		if _, after, ok := strings.Cut(plain, phrase); ok && !goesOn(phrase, after) && !slices.Contains(found, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}
