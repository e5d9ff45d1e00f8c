package scope

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// trustedWords are names of security-sensitive parts of an agent runtime. A path is refused
// if one of these words occurs in any of its segments. Words end at every character other
// than a letter or digit, and before a capital, so "auth_flow.go" and "authFlow.go" count
// as authentication and "author.go" does not. Further parts of a runtime that agents must
// not change belong in the deny list of the runtime's policy.
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

// trusted refuses changes to the files of an agent runtime that control who may communicate
// with the runtime and with whom the runtime communicates.
func trusted(c *change) (rule, why string) {
	for _, s := range c.segments {
		for _, w := range words(s) {
			for _, t := range trustedWords {
				if slices.Contains(t.words, w) {
					return "trusted code", fmt.Sprintf("%q refers to %s, which an agent runtime must not change by itself", s, t.about)
				}
			}
		}
	}
	return "", ""
}

// words returns the words in a name, and each pair of adjacent words joined, so that
// "rate_limit", "rateLimit" and "ratelimit" are treated alike.
func words(name string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start, runes := 0, []rune(part)
		for i := 1; i < len(runes); i++ {
			hump := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
			// The last capital in a run begins the next word: HTTPProxy is HTTP and Proxy.
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
