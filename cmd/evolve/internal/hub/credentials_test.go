package hub

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/nats-io/nkeys"
)

// TestCheckCredentials tests which texts count as credentials.
func TestCheckCredentials(t *testing.T) {
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	account, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := account.Seed()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]error{
		string(seed):                        nil,
		string(seed) + "\n":                 nil,
		"# of runs\n" + string(seed) + "\n": nil,
		"-----BEGIN USER NKEY SEED-----\n" + string(seed) + "\n------END USER NKEY SEED------\n": nil,
		string(wrong):       ErrCredentials,
		string(seed[:20]):   ErrCredentials,
		"/etc/worker.creds": ErrCredentials,
		"":                  ErrCredentials,
	} {
		if err := CheckCredentials([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%.30q: %v, want %v", text, err, want)
		}
	}
}

// TestBrokenPipe tests that a connection that the server ends is not mistaken for an
// output whose reader has gone: otherwise the command would end without a message.
func TestBrokenPipe(t *testing.T) {
	err := unreachable(fmt.Errorf("write: %w", syscall.EPIPE))
	if errors.Is(err, syscall.EPIPE) || !errors.Is(err, ErrUnreachable) {
		t.Errorf("it is %v", err)
	}
}
