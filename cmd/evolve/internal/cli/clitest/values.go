package clitest

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// lookup returns the value at a path such as agents[0].search.evaluations in a JSON file.
func lookup(ts *testscript.TestScript, file, path string) (any, bool) {
	var v any
	data := ts.ReadFile(file)
	dec := json.NewDecoder(strings.NewReader(data))
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s is not JSON: %v\n%s", file, err, data)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON value", file)
	}
	for _, step := range regexp.MustCompile(`[^.\[\]]+|\[\d+\]`).FindAllString(path, -1) {
		if n, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && step[0] == '[' {
			list, ok := v.([]any)
			if !ok || n >= len(list) {
				return nil, false
			}
			v = list[n]
			continue
		}
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[step]; !ok {
			return nil, false
		}
	}
	return v, true
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [REGEXP]")
	}
	v, ok := lookup(ts, args[0], args[1])
	text := ""
	if ok {
		raw, err := json.Marshal(v)
		ts.Check(err)
		text = strings.Trim(string(raw), `"`)
		if len(args) == 3 {
			ok = regexp.MustCompile(args[2]).MatchString(text)
		}
	}
	if ok == neg {
		ts.Fatalf("%s of %s is %s", args[1], args[0], cmp.Or(text, "absent"))
	}
}

func scriptJSONLen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonlen FILE PATH N")
	}
	v, _ := lookup(ts, args[0], args[1])
	list, ok := v.([]any)
	if !ok || strconv.Itoa(len(list)) != args[2] {
		ts.Fatalf("%s of %s has %d entries (a list: %t), want %s", args[1], args[0], len(list), ok, args[2])
	}
}
