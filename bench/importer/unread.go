package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ignore records the unused keys of an object. within is a prefix of the keys, such as
// "metadata."; it is empty for the object of a task.
func (c *collector) ignore(within string, r row, read ...string) {
	for key, raw := range r {
		if !slices.Contains(read, key) && !hollow(raw) {
			c.unread[within+key]++
		}
	}
}

// ignoreIn records the paths of the unused parts of a JSON value. A value whose path is in
// read is used as a whole. If read has a path inside an object, or inside the objects in a
// list, ignoreIn examines the members individually.
func (c *collector) ignoreIn(path string, raw json.RawMessage, read ...string) {
	if hollow(raw) || slices.Contains(read, path) {
		return
	}
	within := path + "."
	if path == "" {
		within = ""
	}
	partly := slices.ContainsFunc(read, func(name string) bool { return strings.HasPrefix(name, within) })
	var r row
	if partly && json.Unmarshal(raw, &r) == nil {
		for key, value := range r {
			c.ignoreIn(within+key, value, read...)
		}
		return
	}
	if list := rowsOf(raw); partly && list != nil {
		for _, item := range list {
			for key, value := range item {
				c.ignoreIn(within+key, value, read...)
			}
		}
		return
	}
	c.unread[path]++
}

// hollow reports whether a JSON value is empty, so that nothing is lost if it is not read.
func hollow(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// maxUnread limits the number of unread keys that are named.
const maxUnread = 100

// noteUnread adds a note on unused keys, so that nothing is dropped silently.
func (c *collector) noteUnread() {
	if len(c.unread) == 0 {
		return
	}
	hint := ""
	if c.o.Format == Questions || c.o.Format == CSV {
		hint = "; --question, --answer, --choices, --domain, --id, --cluster and --tags name the columns to read"
	}
	c.noteWhole("not read, and therefore in no task: %s%s", listKeys(c.unread), hint)
}

// noteResults adds a note on the answers and scores of an evaluation, which become part of
// no task.
func (c *collector) noteResults() {
	if len(c.results) > 0 {
		c.noteWhole("the tasks leave out the answers and scores of the evaluation: %s", listKeys(c.results))
	}
}

// listKeys lists keys in order.
func listKeys(keys map[string]int) string {
	names := slices.Sorted(maps.Keys(keys))
	var shown []string
	for _, name := range names[:min(len(names), maxUnread)] {
		shown = append(shown, show(name))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}
