// Router routes messages to a desk based on their words. It reads one JSON request per line
// and writes one answer per line.
package main

import (
	"encoding/json"
	"log"
	"os"
	"regexp"
	"strings"
)

// desks lists the words of each desk, in the order in which the desks are tried.
var desks = []struct{ name, words string }{
	{"hardware", "screen keyboard printer charger battery laptop mouse"},
	{"access", "password locked account permission login username"},
	{"network", "internet vpn connection wifi offline cable"},
}

var word = regexp.MustCompile("[a-z]+")

type request struct {
	ID     string `json:"id"`
	Task   struct{ Goal string }
	Config config
}

// config holds the parameters from agent.yaml.
type config struct {
	Stem, Shortest, First int
	Threshold             float64
	Otherwise             string
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for in.More() {
		var r request
		if err := in.Decode(&r); err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(map[string]string{"id": r.ID, "answer": route(r.Task.Goal, r.Config)}); err != nil {
			log.Fatal(err)
		}
	}
}

func route(text string, c config) string {
	words := word.FindAllString(strings.ToLower(text), -1)
	said := c.cut(words[:min(c.First, len(words))])
	best, most := c.Otherwise, 0.0
	for _, d := range desks {
		hits := 0
		for w := range c.cut(strings.Fields(d.words)) {
			if said[w] {
				hits++
			}
		}
		if share := float64(hits) / float64(max(1, len(said))); share > most && share >= c.Threshold {
			best, most = d.name, share
		}
	}
	return best
}

// cut returns the beginnings of those words that are long enough.
func (c config) cut(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		if len(w) >= c.Shortest {
			set[w[:min(c.Stem, len(w))]] = true
		}
	}
	return set
}
