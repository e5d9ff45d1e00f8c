package scope

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// trustedWords are names for security-sensitive parts of an agent runtime. A path is
// refused if a word of any segment is one of them. Words end at every character other
// than letters and digits, and before a capital, so that "auth_flow.go" and "authFlow.go"
// are authentication and "author.go" is not. Further parts of a runtime that agents must
// not change belong in its policy's deny list.
var trustedWords = []struct {
	about string
	words []string
}{
	{"authentication", []string{
		"auth", "authn", "authz", "authentication", "authenticator", "authorization", "authorizer", "oauth", "oauth2", "oidc", "saml", "sso", "login", "logout",
		"credential", "credentials", "secret", "secrets", "password", "passwords", "keyring", "keychain", "apikey", "apikeys", "jwt", "acl", "rbac",
		"permission", "permissions", "identity", "pairing",
	}},
	{"the gateway", []string{"gateway", "gateways", "proxy", "proxies", "ingress", "firewall", "ratelimit", "ratelimiter"}},
	{"the config schema", []string{"schema", "schemas", "configschema"}},
	{"communication", []string{
		"communication", "communications", "comm", "comms", "channel", "channels", "messaging", "messenger", "mail", "email", "smtp", "imap", "sms", "slack", "discord",
		"telegram", "whatsapp", "signal", "matrix", "twilio", "webhook", "webhooks", "websocket", "websockets", "rpc", "grpc", "mqtt", "nats",
		"notify", "notification", "notifications", "notifier", "transport", "transports", "a2a",
	}},
}

// trusted refuses, in an agent runtime, files that control who may communicate with it
// and with whom it communicates.
func trusted(c *change) (rule, why string) {
	for _, s := range c.segments {
		for _, w := range words(s) {
			for _, t := range trustedWords {
				if slices.Contains(t.words, w) {
					return "trusted code", fmt.Sprintf("%q is about %s, which an agent runtime must not change by itself", s, t.about)
				}
			}
		}
	}
	return "", ""
}

// words returns the words of a name and each pair of adjacent words joined, so that
// "rate_limit", "rateLimit" and "ratelimit" are equivalent.
func words(name string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start, runes := 0, []rune(part)
		for i := 1; i < len(runes); i++ {
			hump := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
			// The last capital of a run begins the next word: HTTPProxy is HTTP and
			// Proxy.
			end := unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if hump || end {
				out = append(out, strings.ToLower(string(runes[start:i])))
				start = i
			}
		}
		out = append(out, strings.ToLower(string(runes[start:])))
	}
	for i := len(out) - 1; i > 0; i-- {
		out = append(out, out[i-1]+out[i])
	}
	return out
}
