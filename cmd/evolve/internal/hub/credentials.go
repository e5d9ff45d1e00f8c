package hub

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// ErrCredentials reports that a text holds no credentials.
var ErrCredentials = errors.New("it contains neither a JWT with a seed nor a user's seed")

// CheckCredentials returns ErrCredentials for a text that holds no credentials.
func CheckCredentials(text []byte) error {
	_, err := identify(text)
	return err
}

// identify returns the option with which this process identifies itself by its
// credentials. A seed without a JWT stands for a user that the server's configuration
// identifies by the user's public key.
func identify(creds []byte) (nats.Option, error) {
	key, err := nkeys.ParseDecoratedUserNKey(creds)
	if err != nil {
		return nil, ErrCredentials
	}
	if jwt, err := nkeys.ParseDecoratedJWT(creds); err == nil && strings.HasPrefix(jwt, "ey") {
		return nats.UserCredentialBytes(creds), nil
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("reading the credentials: %w", err)
	}
	return nats.Nkey(public, key.Sign), nil
}
