package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/tool"
)

// Bounds on a listing.
const (
	maxPages       = 32
	maxListed      = 1000 // tools, offered or not
	maxDescription = 1000 // characters
)

// offer is one tool as a server lists it.
type offer struct {
	description string
	schema      any
	// print is the hash of everything that a model would see of the tool.
	print [sha256.Size]byte
}

// list requests a server's tools and returns those whose name is in names.
func list(ctx context.Context, client *mcp.ClientSession, names []string) (map[string]offer, error) {
	offers := map[string]offer{}
	count := 0
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := client.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		if count += len(page.Tools); count > maxListed {
			return nil, violated(fmt.Sprintf("the server lists more than %d tools", maxListed))
		}
		for _, t := range page.Tools {
			if !slices.Contains(names, t.Name) {
				continue
			}
			if _, twice := offers[t.Name]; twice {
				return nil, violated(fmt.Sprintf("the server lists the tool %q twice", t.Name))
			}
			if offers[t.Name], err = offered(t); err != nil {
				return nil, violated(fmt.Sprintf("the server lists the tool %q with an invalid schema", t.Name))
			}
		}
		if page.NextCursor == "" {
			return offers, nil
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
	return nil, violated(fmt.Sprintf("the server lists its tools on more than %d pages", maxPages))
}

func offered(t *mcp.Tool) (offer, error) {
	text, err := json.Marshal([]any{t.Description, t.InputSchema})
	if err != nil {
		return offer{}, err
	}
	return offer{description: t.Description, schema: t.InputSchema, print: sha256.Sum256(text)}, nil
}

// declare returns the declaration of a tool, based on the operator's settings and the
// server's description.
func declare(s *Server, name string, o offer) (tool.Spec, error) {
	schema, err := accept(o.schema)
	if err != nil {
		return tool.Spec{}, fmt.Errorf("the schema of its tool %q %w", name, err)
	}
	effect := s.Effects[name]
	if effect == "" {
		effect = tool.Write
	}
	return tool.Spec{
		Name: ToolName(s.Name, name), Description: describeTool(o.description, maxDescription), Schema: schema,
		Effect: effect, Origin: "mcp:" + s.Name, Category: tool.Available,
	}, nil
}

// maxName is the maximum length of a tool's name that model providers accept, in bytes.
const maxName = 64

var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// ToolName returns the name under which a model sees a server's tool: the server's name,
// two underscores, and the tool's name with unsupported characters replaced. A name that is
// too long is cut and ends in a hash of the whole name, so different names remain
// different.
func ToolName(server, name string) string {
	whole := server + "__" + unfit.ReplaceAllString(strings.ToValidUTF8(name, "_"), "_")
	if len(whole) <= maxName {
		return whole
	}
	sum := fmt.Sprintf("_%x", sha256.Sum256([]byte(server+"\x00"+name)))[:9]
	return whole[:maxName-len(sum)] + sum
}
