package mcp

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"evolve/runtime/sandbox"
	"evolve/runtime/tool"
)

// Server is one server as the operator declares it. It has either Argv or URL.
type Server struct {
	// Name is the first part of its tools' names: 1 to 32 letters, digits, _ and -.
	Name string
	// Argv is the program of a stdio server with its arguments. Dir is the absolute path of
	// the folder in which the program starts; the program cannot change that folder.
	Argv []string
	Dir  string
	// Env is the program's whole environment, as NAME=value.
	Env []string
	// URL is the endpoint of a streamable HTTP server.
	URL string
	// Header holds the header fields sent with every request to URL, such as Authorization.
	Header map[string]string
	// Effects maps the names of the server's tools, as the server lists them, to what the
	// tools may change. A tool that is not in the map has the effect write.
	Effects map[string]tool.Effect
	// Tools lists the tools to offer; if it is empty, the tools in Effects are offered. All
	// other tools are ignored.
	Tools []string
	// Sandbox isolates the program. Network lets the program use the host's network. Hidden
	// lists folders that the program cannot see, and Scratch is a folder that it may write
	// to.
	Sandbox sandbox.Sandbox
	Network bool
	Hidden  []string
	Scratch string
}

// Options configure the clients of servers.
type Options struct {
	Servers []Server
	// Scrub removes credentials from the servers' text before that text is cut, stored or
	// logged. It is required.
	Scrub func(string) string
	// Log receives messages about servers that end or misbehave; nil discards them.
	Log *slog.Logger
}

// maxRestarts limits how many times each server is restarted.
const maxRestarts = 3

// Limits on what one server may declare.
const (
	maxServerName = 32  // bytes
	maxToolName   = 128 // bytes of a tool's name on the server
	maxTools      = 64  // offered
)

var serverName = regexp.MustCompile(fmt.Sprintf(`^[a-zA-Z0-9_-]{1,%d}$`, maxServerName))

// check validates the options and fills in defaults.
func (o *Options) check() error {
	if o.Scrub == nil {
		return errors.New("the tool servers need a scrubber")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Servers = slices.Clone(o.Servers)
	seen := map[string]bool{}
	for i := range o.Servers {
		s := &o.Servers[i]
		if err := s.check(); err != nil {
			return fmt.Errorf("tool server %.40q: %w", s.Name, err)
		}
		if seen[s.Name] {
			return fmt.Errorf("there are two tool servers named %q", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}

// check validates one server's declaration and fills in defaults.
func (s *Server) check() error {
	if !serverName.MatchString(s.Name) {
		return fmt.Errorf("its name must consist of 1 to %d letters, digits, _ and -", maxServerName)
	}
	if len(s.Tools) == 0 {
		s.Tools = slices.Sorted(maps.Keys(s.Effects))
	}
	if len(s.Tools) == 0 || len(s.Tools) > maxTools {
		return fmt.Errorf("its declaration lists %d tools, but 1 to %d are allowed", len(s.Tools), maxTools)
	}
	for i, name := range s.Tools {
		if name == "" || len(name) > maxToolName || slices.Contains(s.Tools[:i], name) {
			return fmt.Errorf("the tool name %.40q is empty, too long or listed twice", name)
		}
	}
	for name, e := range s.Effects {
		if e != tool.Read && e != tool.IdempotentWrite && e != tool.Write {
			return fmt.Errorf("the tool %.40q has the unknown effect %.40q", name, e)
		}
	}
	switch {
	case len(s.Argv) > 0 && s.URL != "":
		return errors.New("it has both a program and a URL")
	case len(s.Argv) > 0:
		return s.checkProgram()
	}
	return s.checkURL()
}

func (s *Server) checkProgram() error {
	for _, path := range append([]string{s.Dir}, s.Hidden...) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the folder path %q is not absolute", path)
		}
	}
	switch {
	case s.Scratch != "" && !filepath.IsAbs(s.Scratch):
		return fmt.Errorf("the folder path %q is not absolute", s.Scratch)
	case s.Argv[0] == "" || strings.ContainsRune(strings.Join(s.Argv, " "), 0):
		return errors.New("its command is empty or has a NUL byte")
	case slices.ContainsFunc(s.Env, func(e string) bool { return strings.Index(e, "=") < 1 || strings.ContainsRune(e, 0) }):
		return errors.New("its environment has an entry that is not NAME=value") // the entry is not quoted, because it may be a secret
	case len(s.Header) > 0:
		return errors.New("a server that is a program cannot have headers")
	}
	return nil
}

func (s *Server) checkURL() error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("it has neither a program nor an http or https URL")
	}
	if u.User != nil {
		return errors.New("its URL contains credentials, which belong in a header")
	}
	for name, value := range s.Header {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return fmt.Errorf("its header %.40q has an invalid name or value", name)
		}
	}
	return nil
}
