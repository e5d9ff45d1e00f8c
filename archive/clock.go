package archive

import "time"

// clock is a process's source of time; tests replace its functions. It is not used for the
// deadlines of sockets, which are measured by the system's clock.
type clock struct {
	now   func() time.Time
	sleep func(time.Duration)
}

// systemClock is the clock of processes that do not set one.
func systemClock() clock { return clock{time.Now, time.Sleep} }

// clock returns the clock that the options set. The system's functions replace any that
// the options do not set.
func (o Options) clock() clock {
	c := systemClock()
	if o.Now != nil {
		c.now = o.Now
	}
	if o.Sleep != nil {
		c.sleep = o.Sleep
	}
	return c
}

// timeout returns the deadline of a socket operation.
func timeout(after time.Duration) time.Time { return time.Now().Add(after) }
