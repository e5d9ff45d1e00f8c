package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	foreign "evolve/runtime/text"
	"evolve/runtime/tool"
)

// maxURI is the maximum length at which a resource's address is shown, in bytes.
const maxURI = 200

// margin is larger than the length of any credential, in bytes. After a text has been cut
// and scrubbed, that many more bytes are cut from its end, because a credential that the
// first cut truncated would not be recognised.
const margin = 4 << 10

// render returns a result as text: its texts joined by newlines, a short description of
// every other part, and the structured content as JSON unless one of the texts repeats it.
// The text is scrubbed, limited in length, and free of control characters.
func render(res *mcp.CallToolResult, scrub func(string) string) string {
	var b strings.Builder
	add := func(text string) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(printable(strings.ToValidUTF8(text, "\uFFFD")))
	}
	for _, c := range res.Content {
		if b.Len() <= tool.MaxOutput+margin {
			add(describe(c))
		}
	}
	if res.StructuredContent != nil && !repeated(res) {
		if text, err := json.Marshal(res.StructuredContent); err == nil {
			add(string(text))
		}
	}
	text := b.String()
	if len(text) <= tool.MaxOutput {
		return foreign.Clip(scrub(text), tool.MaxOutput, foreign.Mark)
	}
	text = scrub(foreign.Clip(text, tool.MaxOutput+margin, foreign.Mark))
	return foreign.Clip(text, max(0, min(len(text)-margin, tool.MaxOutput)), foreign.Mark)
}

// describe returns one part of a result as text; for anything but text, this is a short
// description in brackets.
func describe(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[image, %d bytes]", len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[audio, %d bytes]", len(c.Data))
	case *mcp.ResourceLink:
		return fmt.Sprintf("[link to %s]", address(c.URI))
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return "[resource, empty]"
		}
		return fmt.Sprintf("[resource %s, %d bytes]", address(c.Resource.URI), len(c.Resource.Text)+len(c.Resource.Blob))
	}
	return "[content of an unknown kind]"
}

func address(uri string) string {
	return foreign.Clip(strings.Join(strings.Fields(visible(uri)), " "), maxURI, foreign.Mark)
}

// repeated reports whether one of the result's texts repeats its structured content, as
// servers do for clients that support only text.
func repeated(res *mcp.CallToolResult) bool {
	want, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return true // cannot be shown anyway
	}
	return slices.ContainsFunc(res.Content, func(c mcp.Content) bool {
		text, ok := c.(*mcp.TextContent)
		if !ok {
			return false
		}
		var value any
		if json.Unmarshal([]byte(text.Text), &value) != nil {
			return false
		}
		got, err := json.Marshal(value)
		return err == nil && bytes.Equal(got, want)
	})
}
