package archive

import (
	"context"
	"errors"
	"testing"

	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

func TestCheckFinds(t *testing.T) {
	ctx := context.Background()
	place, other := evaluationKey("9-a", "solver", 3), evaluationKey("9-a", "solver", 4)
	content := contentKey(tableKey, evaluation("9-a", 3).Key)
	id := agent.Config{"k": int64(0), "f": .5, "s": []string{"x"}}.ID()
	for name, c := range map[string]struct {
		hidden []key
		fill   func(*batch)
	}{
		"an index entry is missing":        {hidden: []key{content}},
		"an evaluation is missing":         {hidden: []key{place}},
		"an index entry leads astray":      {fill: func(b *batch) { b.put(content, other) }},
		"a record is garbled":              {fill: func(b *batch) { b.put(place, []byte{evaluationVersion, 0xff}) }},
		"a record is of an unknown form":   {fill: func(b *batch) { b.put(place, []byte{9}) }},
		"a transcript is garbled":          {fill: func(b *batch) { b.put(contentKey(tableTranscript, "x"), []byte{transcriptVersion, 1}) }},
		"a variant's id is missing":        {hidden: []key{variantIDKey("solver", id)}},
		"a variant is missing":             {hidden: []key{variantKey("solver", 2)}},
		"a variant is another's":           {fill: func(b *batch) { mustPut(t, b, variantKey("solver", 1), Variant{Agent: "solver", Number: 1}) }},
		"a counter is behind":              {fill: func(b *batch) { b.put(counterKey(countProposals, ""), encodeNumber(1)) }},
		"a counter is gone":                {hidden: []key{counterKey(countVariants, "solver")}},
		"a run's id is missing":            {hidden: []key{runIDKey("9-a")}},
		"a run is missing":                 {hidden: []key{runKey(9)}},
		"a decision without ledger entry":  {hidden: []key{ledgerKey(4)}},
		"the ledger is cut":                {fill: func(b *batch) { mustPut(t, b, counterKey(countLedger, ""), ledgerHead{9, "x"}) }},
		"a key is cut":                     {fill: func(b *batch) { b.put(place[:5], []byte{evaluationVersion}) }},
		"a document is no JSON":            {fill: func(b *batch) { b.put(proposalKey(1), []byte{documentVersion, '{'}) }},
		"an exposure beyond the counter":   {fill: func(b *batch) { mustPut(t, b, newKey(tableExposure).text("solver").number(9), Exposure{}) }},
		"a candidate is another's":         {fill: func(b *batch) { mustPut(t, b, candidateKey("solver", 2), entrant("cc", "10-b")) }},
		"a candidate beyond the counter":   {fill: func(b *batch) { b.put(counterKey(countCandidates, "solver"), encodeNumber(1)) }},
		"a candidate without its entry":    {fill: func(b *batch) { mustPut(t, b, candidateKey("solver", 2), misplaced()) }},
		"an entry was forgotten":           {hidden: []key{candidateKey("solver", 2)}},
		"a request's hash is missing":      {hidden: []key{requestHashKey("solver", wish(2).Request.ID)}},
		"a request is missing":             {hidden: []key{requestKey(2)}},
		"a request is open and decided":    {fill: func(b *batch) { mustPut(t, b, requestKey(3), decidedOpen()) }},
		"a request beyond the counter":     {fill: func(b *batch) { b.put(counterKey(countRequests, ""), encodeNumber(2)) }},
		"a permission without its entry":   {fill: func(b *batch) { mustPut(t, b, requestKey(1), misled()) }},
		"a turn without transcript":        {hidden: []key{turnTranscriptKey(2)}},
		"a transcript without turn":        {hidden: []key{turnKey(2)}},
		"a turn is another's":              {fill: func(b *batch) { mustPut(t, b, turnKey(1), TurnRecord{ID: "T2"}) }},
		"a turn's transcript is garbled":   {fill: func(b *batch) { b.put(turnTranscriptKey(1), []byte{transcriptVersion, 1}) }},
		"turns beyond the counter":         {fill: func(b *batch) { b.put(counterKey(countTurns, ""), encodeNumber(1)) }},
		"a session is no JSON":             {fill: func(b *batch) { b.put(sessionKey("solver", "s0"), []byte{documentVersion, '['}) }},
		"a session's key is cut":           {fill: func(b *batch) { mustPut(t, b, newKey(tableSession).text("solver"), agent.Session{}) }},
		"a tool's health is another's":     {fill: func(b *batch) { mustPut(t, b, toolHealthKey("solver", "sum_1"), sick("sum_0")) }},
		"a tool's health is no JSON":       {fill: func(b *batch) { b.put(toolHealthKey("solver", "sum_1"), []byte{documentVersion, '['}) }},
		"a level is another's":             {fill: func(b *batch) { mustPut(t, b, autonomyKey("solver"), AutonomyRecord{Agent: "other", Level: 1}) }},
		"an experience is no JSON":         {fill: func(b *batch) { b.put(experienceKey("solver"), []byte{documentVersion, '['}) }},
		"an experience is out of range":    {fill: func(b *batch) { mustPut(t, b, experienceKey("solver"), experience.Experience{Turns: -1}) }},
		"an experience's key is cut":       {fill: func(b *batch) { mustPut(t, b, newKey(tableExperience), experience.Experience{}) }},
		"a mutation's key has a part less": {fill: func(b *batch) { mustPut(t, b, newKey(tableMutation).text("solver"), Mutation{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			a := OpenMemory()
			closing(t, a)
			filled(t, a)
			if err := a.Check(ctx); err != nil {
				t.Fatal(err)
			}
			if c.fill != nil {
				tamper(t, a, c.fill)
			}
			without(t, a, c.hidden...)
			if err := a.Check(ctx); !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// misplaced returns the second candidate with the first candidate's ledger entry.
func misplaced() Candidate {
	c := entrant("cc", "10-b")
	c.Number, c.State, c.Ledger = 2, stats.Open, 5
	return c
}

// decidedOpen returns the third request, still open despite a decision.
func decidedOpen() ChangeRequestRecord {
	r := wish(2)
	r.ID, r.State, r.Count, r.Decision = "R3", RequestOpen, 1, &RequestDecision{Action: "deny", By: "Ada", Entry: 9}
	return r
}

// misled returns the first request, with an approval that refers to the ledger entry of
// another request's denial.
func misled() ChangeRequestRecord {
	r := wish(0)
	r.ID, r.State, r.Count, r.Decision = "R1", RequestApproved, 1, &RequestDecision{Action: "approve", By: "Ada", Entry: 9}
	return r
}

func TestStats(t *testing.T) {
	dir := t.TempDir()
	a := openAt(t, dir)
	closing(t, a)
	filled(t, a)
	got, err := a.Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got.Bytes < 10_000 || got.Bytes > 4<<20 {
		t.Errorf("it takes %d bytes on disk", got.Bytes)
	}
	got.Bytes = 0
	want := Stats{Variants: 3, Evaluations: 80, Distinct: 36, Transcripts: 10, Runs: 2, Proposals: 2, Decisions: 2, Ledger: 12, Exposures: 2, Candidates: 2, Mutations: 2, Requests: 3, Turns: 3, Sessions: 3, Experiences: 1}
	if got != want {
		t.Errorf("got %+v", got)
	}
	if err := a.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// mustPut puts a document into the batch and fails the test if it cannot be encoded.
func mustPut(t *testing.T, b *batch, k key, v any) {
	t.Helper()
	if err := putDocument(b, k, v); err != nil {
		t.Fatal(err)
	}
}
