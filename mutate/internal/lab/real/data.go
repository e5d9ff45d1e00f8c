package real

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Folders holds the paths of the folders that contain the real data; a path is "" if its
// data is absent.
type Folders struct {
	// Intents contains clinc150.json and clinc150-domains.json (CLINC150, Larson and others
	// 2019, CC BY 3.0).
	Intents string
	// Collection contains a test collection in the BEIR layout (Thakur and others 2021):
	// corpus.jsonl, queries.jsonl and qrels/*.tsv. The known configs are for SciFact
	// (Wadden and others 2020; claims CC BY 4.0, abstracts ODC-By 1.0), with 5,183
	// abstracts and 1,109 claims.
	Collection string
}

// Find returns the folders named by EVOLVE_SHARED_DATA and EVOLVE_COLLECTION, or those at
// shared/data and shared/data/scifact in a folder above the working directory.
func Find() Folders {
	shared := []string{os.Getenv("EVOLVE_SHARED_DATA")}
	collections := []string{os.Getenv("EVOLVE_COLLECTION")}
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		shared = append(shared, filepath.Join(dir, "shared", "data"))
	}
	for _, dir := range shared {
		collections = append(collections, filepath.Join(dir, "scifact"))
	}
	return Folders{Intents: having("clinc150.json", shared), Collection: having("corpus.jsonl", collections)}
}

func having(file string, dirs []string) string {
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, file)); dir != "" && err == nil {
			return dir
		}
	}
	return ""
}

// outOfScope is the label of utterances that have no intent.
const outOfScope = "oos"

// utterance is a text with its intent and the domain of the intent.
type utterance struct{ text, intent, domain string }

// intents are labelled utterances: examples to learn from, and other utterances as tasks.
type intents struct{ examples, tasks []utterance }

func readIntents(dir string) (intents, error) {
	var parts map[string][][2]string
	var domains map[string][]string
	if err := readJSON(filepath.Join(dir, "clinc150.json"), &parts); err != nil {
		return intents{}, err
	}
	if err := readJSON(filepath.Join(dir, "clinc150-domains.json"), &domains); err != nil {
		return intents{}, err
	}
	domain := map[string]string{outOfScope: outOfScope}
	for d, list := range domains {
		for _, intent := range list {
			domain[intent] = d
		}
	}
	read := func(names ...string) []utterance {
		var list []utterance
		for _, name := range names {
			for _, u := range parts[name] {
				list = append(list, utterance{u[0], u[1], domain[u[1]]})
			}
		}
		return list
	}
	return intents{read("train", "oos_train"), read("val", "test", "oos_val", "oos_test")}, nil
}

func readJSON(path string, to any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// document is a text in a collection.
type document struct{ title, text string }

// query is a search for documents, with the graded relevance of some documents, given by
// their position in the collection.
type query struct {
	text     string
	relevant map[int32]float64
}

// collection is a test collection: documents, and queries with the documents that are
// relevant to them.
type collection struct {
	documents []document
	queries   []query
}

// readCollection reads a collection in the BEIR layout. It leaves out queries without a
// relevant document.
func readCollection(dir string) (collection, error) {
	var c collection
	place := map[string]int32{}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(line string) error {
		r, err := parse(line)
		place[r.ID] = int32(len(c.documents))
		c.documents = append(c.documents, document{r.Title, r.Text})
		return err
	})
	if err != nil {
		return c, err
	}
	relevant := map[string]map[int32]float64{}
	files, err := filepath.Glob(filepath.Join(dir, "qrels", "*.tsv"))
	if err != nil {
		return c, err
	}
	slices.Sort(files)
	for _, f := range files {
		if err := eachLine(f, func(line string) error { return judgement(line, place, relevant) }); err != nil {
			return c, err
		}
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(line string) error {
		r, err := parse(line)
		if of := relevant[r.ID]; len(of) > 0 {
			c.queries = append(c.queries, query{r.Text, of})
		}
		return err
	})
	return c, err
}

// judgement parses one line of a file and adds its relevance judgement to the map
// relevant. It ignores the header line.
func judgement(line string, place map[string]int32, relevant map[string]map[int32]float64) error {
	words := strings.Split(line, "\t")
	if len(words) != 3 {
		return fmt.Errorf("%q is not a query, a document and a grade", line)
	}
	if words[2] == "score" {
		return nil // the headings
	}
	grade, err := strconv.ParseFloat(words[2], 64)
	at, known := place[words[1]]
	if err != nil || !known || grade <= 0 {
		return err
	}
	if relevant[words[0]] == nil {
		relevant[words[0]] = map[int32]float64{}
	}
	relevant[words[0]][at] = grade
	return nil
}

// record is a line in the file of a collection's documents or queries.
type record struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func parse(line string) (record, error) {
	var r record
	err := json.Unmarshal([]byte(line), &r)
	return r, err
}

func eachLine(path string, do func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := do(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return lines.Err()
}
