package clitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptFakeAgent starts an agent that is a service, sets the variable NAME to its address,
// and makes it require the given value in the Authorization header. The agent answers with
// the last word of its goal, in capitals if its config requests that. Some last words make
// it fail in a particular way instead.
func scriptFakeAgent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fakeagent NAME AUTHORIZATION")
	}
	var down atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     string
			Task   struct{ Goal string }
			Config struct{ Mode string }
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err == nil {
			err = json.Unmarshal(body, &q)
		}
		answer := func(text string) { _, _ = io.WriteString(w, encoded(map[string]any{"id": q.ID, "answer": text})) }
		word := lastWord(q.Task.Goal)
		switch {
		case r.Header.Get("Authorization") != args[1]:
			http.Error(w, "not with "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		case err != nil || q.ID == "":
			http.Error(w, fmt.Sprint("invalid request: ", err), http.StatusBadRequest)
		case word == "unavailable":
			http.Error(w, "not now, "+args[1], http.StatusServiceUnavailable)
		case word == "once" && down.Add(1) < 3:
			w.WriteHeader(http.StatusBadGateway)
		case word == "garbage":
			_, _ = io.WriteString(w, "<html>"+args[1])
		case word == "impostor":
			_, _ = io.WriteString(w, `{"id":"another","answer":"x"}`)
		case word == "tell":
			answer("I was asked with " + args[1])
		case q.Config.Mode == "good":
			answer(strings.ToUpper(word))
		default:
			answer(word)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}
