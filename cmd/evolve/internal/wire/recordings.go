package wire

import (
	"sync"

	"evolve/runtime/provider"
)

// recordings holds the recordings that this process writes. A recorder writes its whole
// file when it is closed, so agents that are open at the same time share one recorder per
// file.
type recordings struct {
	mu   sync.Mutex
	open map[string]*recording
}

// recording is the recorder for a file. users is the number of users that have not closed
// it.
type recording struct {
	*provider.Recorder
	users int
}

// use returns the recorder for a file and a function that releases it. The first user
// opens the recorder, and the last user to release it closes it.
func (r *recordings) use(o provider.RecorderOptions) (*provider.Recorder, func() error, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.open[o.Path]
	if one == nil {
		recorder, err := provider.NewRecorder(o)
		if err != nil {
			return nil, nil, err
		}
		one = &recording{Recorder: recorder}
		if r.open == nil {
			r.open = map[string]*recording{}
		}
		r.open[o.Path] = one
	}
	one.users++
	return one.Recorder, func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if one.users--; one.users > 0 {
			return nil
		}
		delete(r.open, o.Path)
		return one.Close()
	}, nil
}
