package archive

import (
	"time"

	"evolve/runtime/agent"
)

// Variant is a config with its origin.
type Variant struct {
	ID    agent.ConfigID `json:"id"`
	Agent string         `json:"agent"`
	// Number counts an agent's variants from 1 in the order in which they were made; people
	// see it as "v37".
	Number     int              `json:"number"`
	Config     agent.Config     `json:"config"`
	Parents    []agent.ConfigID `json:"parents,omitempty"`
	Operator   string           `json:"operator"`
	Generation int              `json:"generation"`
	Rationale  string           `json:"rationale,omitempty"`
	// Author is the language model that wrote the variant, with its route; it is empty if
	// no model wrote it.
	Author string    `json:"author,omitempty"`
	Run    string    `json:"run,omitempty"`
	Time   time.Time `json:"time,omitzero"`
}
