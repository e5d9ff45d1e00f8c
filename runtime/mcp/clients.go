package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"evolve/runtime/tool"
)

// Clients holds the connections to the servers of a run. It is safe for concurrent use.
type Clients struct {
	servers []*server
	tools   []tool.Tool
	// life is done once the clients are closed.
	life context.Context
	end  context.CancelCauseFunc
	once sync.Once
}

// Open starts every server, lists its tools and declares the offered tools. ctx limits only
// the start. Open fails if a server cannot be started, if an offered tool is not listed or
// has an unusable schema, or if two tools have the same name; then nothing is left running.
// The errors quote text from the servers, scrubbed.
func Open(ctx context.Context, o Options) (*Clients, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := &Clients{}
	c.life, c.end = context.WithCancelCause(context.Background())
	var starts errgroup.Group
	for _, s := range o.Servers {
		srv := newServer(s, &o)
		c.servers = append(c.servers, srv)
		starts.Go(func() error {
			if _, f := srv.session(ctx); f != nil {
				return fmt.Errorf("opening the tool server %s: %w", s.Name, f)
			}
			return nil
		})
	}
	err := starts.Wait()
	if err == nil {
		err = c.declare()
	}
	if err != nil {
		_ = c.Close() // Close returns no error
		return nil, err
	}
	return c, nil
}

// declare creates the tools, in the order of the servers and, for each server, in the order
// of its Tools.
func (c *Clients) declare() error {
	seen := map[string]bool{}
	for _, s := range c.servers {
		for _, name := range s.Tools {
			o, ok := s.first[name]
			if !ok {
				return fmt.Errorf("opening the tool server %s: it lists no tool %q", s.Name, name)
			}
			spec, err := declare(&s.Server, name, o)
			if err != nil {
				return fmt.Errorf("opening the tool server %s: %w", s.Name, err)
			}
			if seen[spec.Name] {
				return fmt.Errorf("opening the tool server %s: there are two tools named %q", s.Name, spec.Name)
			}
			seen[spec.Name] = true
			c.tools = append(c.tools, &remote{clients: c, server: s, name: name, spec: spec})
		}
	}
	return nil
}

// Tools returns the offered tools, which are the same from Open to Close.
func (c *Clients) Tools() []tool.Tool { return slices.Clone(c.tools) }

// Renew ends every session and its program, so the next call begins a new one without the
// state of the old one. No call may be running. It always returns nil.
func (c *Clients) Renew() error {
	var ends sync.WaitGroup
	for _, s := range c.servers {
		ends.Go(s.renew)
	}
	ends.Wait()
	return nil
}

// Close ends every server with all its descendants, and ends running calls as cancelled. It
// returns when nothing is left running, and always returns nil.
func (c *Clients) Close() error {
	c.once.Do(func() {
		c.end(errClosed)
		var ends sync.WaitGroup
		for _, s := range c.servers {
			ends.Go(func() { s.close(context.Background()) })
		}
		ends.Wait()
	})
	return nil
}
