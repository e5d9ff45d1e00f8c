package cli

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/runtime/agent"
)

// shortID matches the name of a variant in a recorded sentence: a noun followed by the
// first characters of the variant's id.
var shortID = regexp.MustCompile(`\b(?:(?:the )?candidate|variant) [0-9a-f]{8}\b`)

// named replaces the ids of an agent's variants in a recorded sentence with their numbers:
// "variant 45a8d139" becomes "v37". An unknown id is left unchanged.
func named(ctx context.Context, a *archive.Archive, agentID, sentence string) string {
	return shortID.ReplaceAllStringFunc(sentence, func(words string) string {
		v, err := a.FindVariant(ctx, agentID, words[strings.LastIndexByte(words, ' ')+1:])
		if err != nil {
			return words
		}
		return "v" + strconv.Itoa(v.Number)
	})
}

// numberOf returns the number of a variant, such as v12, or its id if the archive does not
// have the variant.
func numberOf(ctx context.Context, a *archive.Archive, agentID string, id agent.ConfigID) string {
	v, err := a.Variant(ctx, agentID, id)
	if id == "" || err != nil {
		return string(id)
	}
	return "v" + strconv.Itoa(v.Number)
}
