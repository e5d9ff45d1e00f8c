package schedule

import (
	"fmt"
	"time"
)

// At is a time of day to the minute, in the machine's time zone.
type At struct{ Hour, Minute int }

// ParseAt reads HH:MM.
func ParseAt(text string) (At, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return At{}, fmt.Errorf("%q is not a time of day", text)
	}
	return At{t.Hour(), t.Minute()}, nil
}

func (a At) String() string { return fmt.Sprintf("%02d:%02d", a.Hour, a.Minute) }

// before returns the time from a to the next b on the clock, which is more than 0 and at
// most a day.
func (a At) before(b At) time.Duration {
	d := time.Duration(b.Hour-a.Hour)*time.Hour + time.Duration(b.Minute-a.Minute)*time.Minute
	if d <= 0 {
		d += 24 * time.Hour
	}
	return d
}

// on returns the moment of the time of day on a date. If the clock is set back and the time
// occurs twice, it returns the first moment. If the clock is set forward past the time,
// cron starts the job right after the change, whereas systemd and Kubernetes skip that day,
// and ok is false.
func (a At) on(year int, month time.Month, day int, loc *time.Location, kind Kind) (at time.Time, ok bool) {
	wall := time.Date(year, month, day, a.Hour, a.Minute, 0, 0, time.UTC)
	// Every zone's offset from UTC is less than 26 hours, so the moments 26 hours before
	// and after this time of day have the offsets that apply before and after a change on
	// this date.
	var late time.Time
	for i, near := range []time.Time{wall.Add(-26 * time.Hour), wall.Add(26 * time.Hour)} {
		_, offset := near.In(loc).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second).In(loc)
		if t.Day() == wall.Day() && t.Hour() == a.Hour && t.Minute() == a.Minute {
			return t, true
		}
		if i == 0 {
			late = t
		}
	}
	change, _ := late.ZoneBounds()
	return change, kind == Cron
}

// Due returns the last moment, up to now, at which a night was due, and the next one after
// now.
func (a At) Due(now time.Time, kind Kind) (last, next time.Time) {
	for day := -3; day <= 3; day++ {
		t, ok := a.on(now.Year(), now.Month(), now.Day()+day, now.Location(), kind)
		switch {
		case !ok:
		case !t.After(now):
			last = t
		default:
			return last, t
		}
	}
	return last, next
}
