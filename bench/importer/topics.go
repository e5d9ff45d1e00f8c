package importer

import (
	"bytes"
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
)

// Topics of TREC have two forms: <top> with elements that need no end tag, and XML, whose
// <topic> may have its number as an attribute and its query as its only text.
var (
	topicStart     = regexp.MustCompile(`(?i)<(?:top|topic)(?:\s[^<>]*)?>`)
	topicEnd       = regexp.MustCompile(`(?i)</(?:top|topic)\s*>`)
	topicTag       = regexp.MustCompile(`<([A-Za-z][\w-]*)((?:\s[^<>]*)?)>`)
	topicAttribute = regexp.MustCompile(`([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	anyTag         = regexp.MustCompile(`</?[A-Za-z][^<>]*>|<!--(?s:.*?)-->`)
	topicPrologue  = regexp.MustCompile(`^(?:\s|<\?[^>]*\?>|<!--(?s:.*?)-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)*<[A-Za-z][\w-]*(?:\s[^<>]*)?>`)
	// topicHeading matches the label that the older form has before a value, such as
	// "Number:".
	topicHeading = regexp.MustCompile(`(?i)^\s*(?:Number|Topic|Description|Narrative):`)
)

// The names of a topic's number, and of its query, in order of preference.
var (
	topicNumbers = []string{"num", "number", "identifier", "id", "qid"}
	topicQueries = []string{"title", "query", "question", "summary", "desc", "description"}
)

// isTopics reports whether a text begins like a file of TREC topics, in either of its two
// forms.
func isTopics(data []byte) bool {
	return topicPrologue.Match(bytes.TrimSpace(data)) && topicStart.Match(data)
}

// topics reads topics of TREC and calls query for each topic that has a number and a
// query.
func (c *collector) topics(data []byte, query func(line, number int, id, text string) error) error {
	starts := topicStart.FindAllIndex(data, -1)
	for i, at := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		body := string(data[at[1]:end])
		if end := topicEnd.FindStringIndex(body); end != nil {
			body = body[:end[0]]
		}
		fields, order := topicFields(string(data[at[0]:at[1]]), body)
		number, text := firstOf(fields, topicNumbers), firstOf(fields, topicQueries)
		if text == "" {
			text = "topic"
		}
		c.unreadTopic(fields, order, number, text)
		if fields[number] == "" || fields[text] == "" {
			c.note(0, "topic %d left out: it has no number or no title", i+1)
			continue
		}
		if err := query(0, i+1, strings.Fields(fields[number])[0], fields[text]); err != nil {
			c.note(0, "topic %d left out: it %v", i+1, err)
		}
	}
	return nil
}

// unreadTopic records the fields of a topic that are neither its number nor its query.
func (c *collector) unreadTopic(fields map[string]string, order []string, used ...string) {
	for _, name := range order {
		if fields[name] != "" && !slices.Contains(used, name) {
			c.unread[name]++
		}
	}
}

// topicFields returns the attributes and the elements of a topic keyed by their names in
// lower case, and the names in order; text outside of elements has the name "topic". If
// several elements have the same name, the first is returned under that name, and a
// further one under the name followed by "(2)".
func topicFields(start, body string) (fields map[string]string, order []string) {
	fields = map[string]string{}
	put := func(name, value string) {
		value = strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(value, " "))), " ")
		if name = strings.ToLower(name); value == "" {
			return
		}
		if fields[name] != "" {
			name += " (2)"
		}
		fields[name] = value
		order = append(order, name)
	}
	for _, a := range topicAttribute.FindAllStringSubmatch(start, -1) {
		put(a[1], cmp.Or(a[2], a[3]))
	}
	tags := topicTag.FindAllStringSubmatchIndex(body, -1)
	first := len(body)
	if len(tags) > 0 {
		first = tags[0][0]
	}
	put("topic", body[:first])
	for i, at := range tags {
		end := len(body)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		name := body[at[2]:at[3]]
		for _, a := range topicAttribute.FindAllStringSubmatch(body[at[4]:at[5]], -1) {
			put(name+" "+a[1], cmp.Or(a[2], a[3]))
		}
		value := body[at[1]:end]
		if closed := strings.Index(value, "</"+name); closed >= 0 {
			put("topic", value[closed:])
			value = value[:closed]
		}
		put(name, topicHeading.ReplaceAllString(value, ""))
	}
	return fields, order
}

// firstOf returns the first of the names that has a value, or "".
func firstOf(fields map[string]string, names []string) string {
	for _, name := range names {
		if fields[name] != "" {
			return name
		}
	}
	return ""
}
