package real

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/runtime/agent"
)

// TestGain compares nDCG at 10 with that of pytrec_eval 0.5 on the same rankings.
func TestGain(t *testing.T) {
	sequence := func(from, to int32) (list []int32) {
		for i := from; i < to; i++ {
			list = append(list, i)
		}
		return list
	}
	ones := map[int32]float64{}
	for i := range int32(14) {
		ones[i] = 1
	}
	for name, c := range map[string]struct {
		relevant map[int32]float64
		ranked   []int32
		want     float64
	}{
		"grades":            {map[int32]float64{1: 1, 2: 2, 3: 1, 9: 3}, []int32{4, 2, 1, 0, 9}, 0.5628112914656855},
		"one":               {map[int32]float64{5: 1}, sequence(0, 12), 0.3562071871080222},
		"none found":        {map[int32]float64{7: 1}, []int32{0}, 0},
		"more than depth":   {ones, sequence(5, 20), 0.9363792118010483},
		"nothing retrieved": {map[int32]float64{7: 1}, nil, 0},
	} {
		if got := (query{relevant: c.relevant}).gain(c.ranked); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// aviation returns a collection of three documents.
func aviation() collection {
	return collection{
		documents: []document{
			{"wind tunnel", "the wind tunnel measures drag of a wing"},
			{"heat", "heat moves by conduction and by wind"},
			{"wing flutter", "a wing may flutter in strong wind and fall"},
		},
		queries: []query{{"wind wing drag", map[int32]float64{0: 1}}, {"flutter", map[int32]float64{2: 1}}, {"falling heat", map[int32]float64{1: 1}}},
	}
}

// with returns the default config of a space with some values replaced.
func with(s agent.Space, values map[string]any) agent.Config {
	c := agent.Config{}
	for _, p := range s.Params {
		c[p.Name] = p.Default
	}
	for name, v := range values {
		c[name] = v
	}
	return s.Canonical(c)
}

// TestModels compares the models' scores with the results of separately written formulas.
func TestModels(t *testing.T) {
	r := &retriever{data: aviation()}
	f := r.view(analysis{stem: "none", words: 1})
	var q []weighted
	for _, p := range f.whole.count([]string{"wind", "wing", "drag"}, false) {
		q = append(q, weighted{p.id, float64(p.count)})
	}
	for model, want := range map[string][]float64{
		"bm25":      {1.6124933910266688, 0.14366446626382026, 0.7485201384979129},
		"dirichlet": {0.19639159207597956, -0.1608907515883502, -0.06633716240819387},
		"cosine":    {0.8545071706315106, 0.10601568690358269, 0.4724810796276615},
	} {
		c := with(retrieverSpace(), map[string]any{"model": model, "mu": 100.0})
		if d := cmp.Diff(want, f.whole.match(q, c), cmpopts.EquateApprox(0, 1e-9)); d != "" {
			t.Errorf("%s: %s", model, d)
		}
	}
}

func TestRetrieve(t *testing.T) {
	r := &retriever{data: aviation()}
	for name, c := range map[string]struct {
		values map[string]any
		query  string
		want   []int32
	}{
		"default":      {nil, "wing drag", []int32{0, 2}},
		"stem":         {map[string]any{"stem": "english"}, "falling", []int32{2}},
		"prefix":       {map[string]any{"stem": "prefix", "prefix": int64(4)}, "conducts", []int32{1}},
		"stop words":   {map[string]any{"stop_words": "short"}, "of the", nil},
		"dirichlet":    {map[string]any{"model": "dirichlet", "mu": 10.0}, "strong wind", []int32{2, 0, 1}},
		"title":        {map[string]any{"title_weight": 4.0}, "wing wing heat", []int32{2, 1, 0}},
		"rarest terms": {map[string]any{"query_terms": int64(3)}, "wind and by conduction tunnel", []int32{1, 0}},
		"expansion":    {map[string]any{"expand": true, "feedback_documents": int64(1), "feedback_terms": int64(20), "feedback_weight": 0.5}, "drag", []int32{0, 2, 1}},
	} {
		if d := cmp.Diff(c.want, r.retrieve(with(retrieverSpace(), c.values), c.query)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestReadCollection checks reading the BEIR layout, with a query without judgements and a
// judgement on an unknown document.
func TestReadCollection(t *testing.T) {
	dir := t.TempDir()
	for name, lines := range map[string][]string{
		"corpus.jsonl":    {`{"_id": "a", "title": "T", "text": "X"}`, `{"_id": "b", "title": "", "text": "Y"}`},
		"queries.jsonl":   {`{"_id": "1", "text": "one"}`, `{"_id": "2", "text": "two"}`, `{"_id": "3", "text": "three"}`},
		"qrels/test.tsv":  {"query-id\tcorpus-id\tscore", "1\tb\t2", "1\ta\t0", "3\tz\t1"},
		"qrels/train.tsv": {"query-id\tcorpus-id\tscore", "2\ta\t1"},
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readCollection(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := collection{
		documents: []document{{"T", "X"}, {"", "Y"}},
		queries:   []query{{"one", map[int32]float64{1: 2}}, {"two", map[int32]float64{0: 1}}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(collection{}, document{}, query{})); d != "" {
		t.Error(d)
	}
	if err := os.WriteFile(filepath.Join(dir, "qrels/test.tsv"), []byte("1 b 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readCollection(dir); err == nil || !strings.Contains(err.Error(), "is not a query, a document and a grade") {
		t.Errorf("error %v", err)
	}
}

// TestSciFact checks BM25 on the queries of SciFact's test part. The published nDCG at 10
// is .679 for one field and .665 for two (Thakur and others 2021, and Anserini's
// regressions).
func TestSciFact(t *testing.T) {
	dir := Find().Collection
	if dir == "" {
		t.Skip("no test collection is on this machine: set EVOLVE_COLLECTION to the folder of SciFact in the layout of BEIR")
	}
	c, err := readCollection(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.documents) != 5183 || len(c.queries) != 1109 {
		t.Skip("the collection is not SciFact")
	}
	test := map[string]bool{}
	ids := map[string]string{}
	if err := eachLine(filepath.Join(dir, "queries.jsonl"), func(line string) error {
		r, err := parse(line)
		ids[r.ID] = r.Text
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := eachLine(filepath.Join(dir, "qrels", "test.tsv"), func(line string) error {
		id, _, _ := strings.Cut(line, "\t")
		test[ids[id]] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r := &retriever{data: c}
	config := with(retrieverSpace(), map[string]any{"model": "bm25", "k1": 0.9, "b": 0.4, "stem": "english", "stop_words": "short"})
	sum, n := 0.0, 0.0
	for _, q := range c.queries {
		if test[q.text] {
			sum, n = sum+q.gain(r.retrieve(config, q.text)), n+1
		}
	}
	if mean := sum / n; n < 295 || math.Abs(mean-0.679) > 0.015 {
		t.Errorf("nDCG %.4f on %v queries", mean, n)
	}
}
