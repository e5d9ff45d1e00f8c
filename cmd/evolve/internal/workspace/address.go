package workspace

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// address is the field for a URL, which must use https, or http on a private network. Error
// messages do not repeat an invalid value, because it may hold a key. If bare is set, the
// URL must have no query.
func address(to *string, bare bool) field {
	form := schema{"type": "string", "pattern": `^https?://[^\s/?#@]+([/?][^\s#]*)?$`}
	if bare {
		form["pattern"] = `^https?://[^\s/?#@]+(/[^\s?#]*)?$`
	}
	read := text{to: to, form: form, check: func(v string) (problem, hint string) { return addressProblem(v, bare) }}
	return then{read, func() { *to = strings.TrimRight(*to, "/") }}
}

const maxAddress = 2000

// AddressProblem returns the reason why a value is not a valid webhook address, in words
// that follow the value's name; it returns "" if the value is valid.
func AddressProblem(v string) string {
	problem, _ := addressProblem(v, false)
	return problem
}

func addressProblem(v string, bare bool) (problem, hint string) {
	u, err := url.Parse(v)
	switch {
	case err != nil || len(v) > maxAddress || u.Hostname() == "" || strings.ContainsAny(v, " \t\n"):
		return "must be a URL", "write it like https://host/path"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "must not contain a user name or a password", secretHint
	case u.Fragment != "" || strings.Contains(v, "#"):
		return "must have no fragment", ""
	case bare && (u.RawQuery != "" || u.ForceQuery):
		return "must not have a query string", ""
	case u.Scheme == "http" && !private(u.Hostname()):
		return "must begin with https://", "http is only for this machine and private networks"
	case u.Scheme != "https" && u.Scheme != "http":
		return "must begin with https://", ""
	}
	return "", ""
}

// private reports whether a host is this machine or on a private network, judging by its
// name: reserved names, names without a dot, private addresses. A link-local address is not
// private, because clouds serve credentials there.
func private(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback() || ip.Unmap().IsPrivate()
	}
	if net.ParseIP(host) != nil || !hostName.MatchString(host) {
		return false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, ending := range []string{".localhost", ".local", ".internal", ".home.arpa"} {
		if strings.HasSuffix(host, ending) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// hostName excludes names that a resolver would read as a number. For example, 2130706433
// is the private address 127.0.0.1, but 134744072 is a public address.
var hostName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// envName is the field for the name of an environment variable. Error messages do not
// repeat an invalid name, because it may be the variable's value, given by mistake.
func envName(to *string) text {
	return text{to: to, pattern: envPattern, rule: "the name of an environment variable", hint: "give only names: the values are taken from the environment", private: true}
}

var headerPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

// framing lists the headers that the protocol itself sets.
var framing = map[string]bool{
	"host": true, "content-length": true, "content-type": true, "transfer-encoding": true, "connection": true,
	"accept": true, "accept-encoding": true, "upgrade": true, "te": true, "trailer": true, "expect": true,
}

// headersEnv maps headers to the variables that hold their values.
func headersEnv(to *map[string]string) mapping {
	seen := map[string]bool{}
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			folded := strings.ToLower(k.Value)
			switch {
			case !headerPattern.MatchString(k.Value):
				s.bad(k, "", "a header's name must consist of letters, digits and -, at most 64 characters")
				return nil
			case framing[folded]:
				s.bad(k, "", "the header %q is set by the protocol", k.Value)
				return nil
			case seen[folded]:
				s.bad(k, "", "the header %q appears twice", k.Value)
				return nil
			}
			seen[folded] = true
			var v string
			return then{envName(&v), func() {
				if v != "" {
					put(to, k.Value, v)
				}
			}}
		},
		item: envName(new(string)),
	}
}
