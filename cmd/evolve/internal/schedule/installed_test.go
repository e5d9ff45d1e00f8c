package schedule

import (
	"testing"
	"time"

	"evolve/archive"
)

func TestLook(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return when.AddDate(2026, 5, 0)
	}
	installed := Installed{Kind: Cron, At: At{1, 30}, Daily: true, Since: at("10 12:00")}
	run := func(state archive.RunState, started, ended string) archive.Run {
		r := archive.Run{State: state, Started: at(started)}
		if ended != "" {
			r.Ended = at(ended)
		}
		return r
	}
	resumed := run(archive.RunInterrupted, "10 01:30", "")
	resumed.Since, resumed.State, resumed.Ended = at("11 01:30"), archive.RunDone, at("11 02:00")
	for _, c := range []struct {
		name            string
		run             archive.Run
		now             string
		missed, catchUp bool
	}{
		{"no night was due yet", archive.Run{}, "10 20:00", false, false},
		{"it has a moment to begin", archive.Run{}, "11 01:31", false, true},
		{"none since", archive.Run{}, "11 09:00", true, true},
		{"the night before ran", run(archive.RunDone, "10 12:30", "10 13:00"), "11 09:00", true, true},
		{"it ran", run(archive.RunDone, "11 01:30", "11 05:00"), "11 09:00", false, false},
		{"it failed", run(archive.RunFailed, "11 01:30", "11 01:31"), "11 09:00", false, false},
		{"it is on", run(archive.RunRunning, "11 01:30", ""), "11 02:00", false, false},
		{"an earlier one went on over it", run(archive.RunDone, "10 22:00", "11 03:00"), "11 09:00", false, false},
		{"an earlier one is on for days", run(archive.RunRunning, "10 22:00", ""), "12 02:00", false, false},
		{"a person made up for it", run(archive.RunDone, "11 08:00", "11 08:30"), "11 09:00", false, false},
		{"its process died", run(archive.RunInterrupted, "11 01:30", ""), "11 09:00", false, true},
		{"a person stopped it", run(archive.RunInterrupted, "11 01:30", "11 02:00"), "11 09:00", false, false},
		{"it took up an earlier one", resumed, "11 09:00", false, false},
	} {
		s := Look(installed, c.run, at(c.now))
		if s.Missed != c.missed || s.CatchUp != c.catchUp {
			t.Errorf("%s: missed %t, to catch up %t", c.name, s.Missed, s.CatchUp)
		}
	}
	if s := Look(Installed{Kind: Cron}, archive.Run{}, at("11 09:00")); s != (State{}) {
		t.Errorf("a schedule that was changed by hand: %+v", s)
	}
}
