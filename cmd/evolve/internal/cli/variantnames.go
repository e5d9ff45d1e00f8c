package cli

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/runtime/agent"
)

// shortID matches a variant in a recorded sentence, by the first characters of its id.
var shortID = regexp.MustCompile(`\b(?:(?:the )?candidate|variant) [0-9a-f]{8}\b`)

// named replaces the ids of an agent's variants in a recorded sentence by their numbers:
// "v37" for "variant 45a8d139". An unknown id stays.
func named(ctx context.Context, a *archive.Archive, agentID, sentence string) string {
	return shortID.ReplaceAllStringFunc(sentence, func(words string) string {
		v, err := a.FindVariant(ctx, agentID, words[strings.LastIndexByte(words, ' ')+1:])
		if err != nil {
			return words
		}
		return "v" + strconv.Itoa(v.Number)
	})
}

// numberOf returns the number of a variant, v12, or its id where the archive does not have it.
func numberOf(ctx context.Context, a *archive.Archive, agentID string, id agent.ConfigID) string {
	v, err := a.Variant(ctx, agentID, id)
	if id == "" || err != nil {
		return string(id)
	}
	return "v" + strconv.Itoa(v.Number)
}
