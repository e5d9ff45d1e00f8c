package provider

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Kind is a provider's protocol.
type Kind string

// The protocols. OpenAI is the chat completions protocol, which most providers and local
// servers implement.
const (
	OpenAI    Kind = "openai"
	Anthropic Kind = "anthropic"
)

// Endpoint is one provider.
type Endpoint struct {
	// Name is the name that the operator gave the provider.
	Name string
	Kind Kind
	// BaseURL is the prefix of the URLs that requests are sent to, such as
	// "http://localhost:11434/v1"; if it is empty, the URL of the provider that defined
	// the protocol is used.
	BaseURL string
	// Key is the API key, if the provider requires one. KeyEnv is the name of the
	// environment variable that Key came from: messages mention only this name.
	Key, KeyEnv string
	// HTTP sends the requests; nil means a client with time limits and without proxies. In
	// either case redirects are not followed, because that would pass on the key.
	HTTP *http.Client
}

// The addresses of the providers that defined the protocols.
const (
	openaiURL    = "https://api.openai.com/v1"
	anthropicURL = "https://api.anthropic.com"
)

// check returns the endpoint with defaults filled in, or an error.
func (e Endpoint) check() (Endpoint, error) {
	if e.Name == "" {
		return e, errors.New("a provider has no name")
	}
	switch {
	case e.Kind == OpenAI && e.BaseURL == "":
		e.BaseURL = openaiURL
	case e.Kind == Anthropic && e.BaseURL == "":
		e.BaseURL = anthropicURL
	case e.Kind != OpenAI && e.Kind != Anthropic:
		return e, fmt.Errorf("provider %s: kind %q is neither %s nor %s", e.Name, e.Kind, OpenAI, Anthropic)
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return e, fmt.Errorf("provider %s: the base URL is not an http or https address", e.Name)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return e, fmt.Errorf("provider %s: the base URL has a user, query or fragment; a key belongs in an environment variable", e.Name)
	}
	e.BaseURL = strings.TrimRight(e.BaseURL, "/")
	if e.Kind == Anthropic {
		e.BaseURL = strings.TrimSuffix(e.BaseURL, "/v1")
	}
	return e, nil
}

// client returns the client for the endpoint's requests.
func (e Endpoint) client() *http.Client {
	c := http.Client{}
	if e.HTTP != nil {
		c = *e.HTTP
	} else {
		c.Transport = transport()
		c.Timeout = longest
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Jar = nil
	return &c
}

// longest is the maximum duration of an exchange if no stricter limit applies.
const longest = 15 * time.Minute

func transport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
	}
}
