package notify

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The signals of a heartbeat, as defined by healthchecks.io.
const (
	Started   = "/start"
	Succeeded = ""
	Failed    = "/fail"
)

// beatTime limits one heartbeat request.
const beatTime = 5 * time.Second

// Heartbeat is a dead man's switch: a service that raises an alarm if no success arrives in
// time. The zero value does nothing.
type Heartbeat struct {
	URL   string
	Roots *x509.CertPool
}

// Beat posts a signal with a short text. It tries only once, because a dead man's switch
// raises an alarm by itself if signals do not arrive.
func (h Heartbeat) Beat(ctx context.Context, signal, text string) error {
	if h.URL == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+signal, strings.NewReader(clip(text, 4<<10)))
	if err != nil {
		return errors.New("the heartbeat's address is not a URL")
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	req.Header.Set("User-Agent", "evolve")
	client := client(h.Roots)
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		if _, err = again(err); ctx.Err() != nil {
			err = fmt.Errorf("no answer within %s", beatTime)
		}
		return fmt.Errorf("the heartbeat failed: %w", err)
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if _, err := statusOf(res, said); err != nil {
		return fmt.Errorf("the heartbeat failed: %w", err)
	}
	return nil
}
