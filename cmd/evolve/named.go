package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"evolve/archive"
)

// shortID is how a recorded sentence names a variant: by the first characters of its id.
var shortID = regexp.MustCompile(`\b(?:(?:the )?candidate|variant) [0-9a-f]{8}\b`)

// named puts the numbers of an agent's variants in the place of the ids in a recorded
// sentence: "v37" for "variant 45a8d139". An id that the archive does not know stays.
func named(ctx context.Context, a *archive.Archive, agentID, sentence string) string {
	return shortID.ReplaceAllStringFunc(sentence, func(words string) string {
		v, err := a.FindVariant(ctx, agentID, words[strings.LastIndexByte(words, ' ')+1:])
		if err != nil {
			return words
		}
		return "v" + strconv.Itoa(v.Number)
	})
}
