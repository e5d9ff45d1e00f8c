package safety

import (
	"slices"
	"strings"

	foreign "evolve/runtime/text"
)

// maxMarked is the maximum length of the part of a tool's result that is searched for
// marks, in bytes, and maxMarks is the maximum number of marks that are listed.
const (
	maxMarked = 64 << 10
	maxMarks  = 8
)

// Marks returns phrases in a tool's result that address the model as if they were
// instructions. They are shown as a warning in the transcript; a text without any may still
// be hostile, and no decision depends on them.
func Marks(text string) []string {
	plain := " " + strings.Join(strings.Fields(fold(strings.ToValidUTF8(foreign.Clip(text, maxMarked), " "))), " ") + " "
	var found []string
	for _, phrase := range []string{
		"ignore all previous", "ignore previous instructions", "ignore the previous", "ignore all prior", "ignore prior instructions", "ignore the above", "ignore your instructions", "ignore any previous",
		"disregard all previous", "disregard previous", "disregard the above", "disregard your", "forget all previous", "forget your instructions", "forget everything above",
		"new instructions:", "system prompt", "your instructions are", "you are now a", "you must now", "from now on you", "do not tell the user", "don't tell the user", "without telling the user", "do not inform the user",
		"reveal your prompt", "print your instructions", "repeat the text above", "override your", "developer mode", "jailbreak",
		"<system>", "</system>", "[inst]", "[/inst]", "<|im_start|>", "<|im_end|>", "<|system|>", "### system", "### instruction", "assistant:", "begin system message",
	} {
		if _, after, ok := strings.Cut(plain, phrase); ok && !goesOn(phrase, after) && !slices.Contains(found, phrase) {
			if found = append(found, phrase); len(found) == maxMarks {
				break
			}
		}
	}
	return found
}

// goesOn reports whether the last word of a phrase continues in the text that follows.
func goesOn(phrase, after string) bool {
	letter := func(b byte) bool { return 'a' <= b && b <= 'z' }
	return after != "" && letter(after[0]) && letter(phrase[len(phrase)-1])
}
