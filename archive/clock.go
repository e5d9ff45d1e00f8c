package archive

import "time"

// clock is the time of a process; tests replace its functions. Deadlines of sockets are not
// part of it: the network measures them by the system's clock.
type clock struct {
	now   func() time.Time
	sleep func(time.Duration)
}

// systemClock is the clock of processes that set none.
func systemClock() clock { return clock{time.Now, time.Sleep} }

// clock returns the clock of the options.
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
