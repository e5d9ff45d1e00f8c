package archive

import (
	"context"
	"encoding/json"
	"time"
)

// InertKind is the kind of the ledger entries that hold an [Inert]. The subject of these
// entries is the run.
const InertKind = "search.inert"

// Inert is the ledger's record of an agent's parameters that have no effect, because the
// agent's model was found not to accept them.
type Inert struct {
	Agent string `json:"agent"`
	// Routes identifies the agent's routes and their models; with other routes or models,
	// the parameters may have an effect.
	Routes string `json:"routes"`
	// Model is the name of the model as it is shown to people.
	Model  string   `json:"model"`
	Params []string `json:"params"`
	// Run and Time are the run and the time of the ledger entry.
	Run  string    `json:"-"`
	Time time.Time `json:"-"`
}

// Inert returns those records about an agent that were made with the given routes, the
// latest record last.
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
