package archive

import (
	"context"
	"encoding/json"
	"time"
)

// InertKind is the kind of the ledger's entries that hold an [Inert]; their subject is the
// run.
const InertKind = "search.inert"

// Inert is the ledger's record of parameters of an agent that its model was found not to
// take.
type Inert struct {
	Agent string `json:"agent"`
	// Routes identifies the routes of the agent and their models: on other ones the
	// parameters may act.
	Routes string `json:"routes"`
	// Model names the model for people.
	Model  string   `json:"model"`
	Params []string `json:"params"`
	// Run and Time are those of the entry.
	Run  string    `json:"-"`
	Time time.Time `json:"-"`
}

// Inert returns the records about an agent with these routes, the latest last.
func (a *Archive) Inert(ctx context.Context, agentID, routes string) ([]Inert, error) {
	var list []Inert
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return nil, err
		}
		var i Inert
		if e.Kind == InertKind && json.Unmarshal(e.Data, &i) == nil && i.Agent == agentID && i.Routes == routes {
			i.Run, i.Time = e.Subject, e.Time
			list = append(list, i)
		}
	}
	return list, nil
}
