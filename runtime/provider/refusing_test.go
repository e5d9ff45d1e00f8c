package provider_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

// TestARefusingServerIsNamed checks that the error of a call names the address on this
// machine that refused the connection, even after a breaker has opened because of the
// refusals, and that the errors of other failures name no address.
func TestARefusingServerIsNamed(t *testing.T) {
	request := &model.Request{Goal: "Which port does the cache use?", Remaining: 3}
	ask := func(r *provider.Router) *model.Error {
		_, err := r.Next(t.Context(), request)
		var known *model.Error
		if !errors.As(err, &known) || known.Outcome != agent.Infrastructure {
			t.Fatalf("%v", err)
		}
		return known
	}
	gone := serve(t, provider.OpenAI)
	gone.Close()
	address := strings.TrimPrefix(gone.URL, "http://")
	breaking := policy.Settings{Attempts: 1, BreakerCalls: 2, BreakerFailures: .5, BreakerOpen: time.Hour, BreakerProbes: 1}
	r := router(t, gone.endpoint(), func(o *provider.Options) {
		o.Guard = engine(t, policy.Book{Providers: map[string]policy.Settings{gone.endpoint().Name: breaking}})
	})
	var open bool
	for range 4 {
		err := ask(r)
		open = errors.As(err, new(*policy.CircuitOpenError))
		if err.Refusing != address {
			t.Errorf("%v: the address is %q, want %q", err, err.Refusing, address)
		}
	}
	if !open {
		t.Error("no breaker opened: the test shows too little")
	}
	failing := serve(t, provider.OpenAI, answering(http.StatusInternalServerError, "{}"))
	if err := ask(router(t, failing.endpoint(), nil)); err.Refusing != "" {
		t.Errorf("%v: the address is %q, want none", err, err.Refusing)
	}
}
