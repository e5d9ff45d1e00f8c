package schedule

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	return loc
}

func TestDue(t *testing.T) {
	loc := berlin(t)
	const form = "2006-01-02 15:04 MST"
	for _, c := range []struct {
		name, at, now string
		kind          Kind
		last, next    string
	}{
		{"before it", "01:30", "2026-06-10 01:29 CEST", Cron, "2026-06-09 01:30 CEST", "2026-06-10 01:30 CEST"},
		{"at it", "01:30", "2026-06-10 01:30 CEST", Cron, "2026-06-10 01:30 CEST", "2026-06-11 01:30 CEST"},
		{"after the clock was set forward", "03:30", "2026-03-29 01:00 CET", Systemd, "2026-03-28 03:30 CET", "2026-03-29 03:30 CEST"},
		{"cron starts after a time that was left out", "02:30", "2026-03-29 01:00 CET", Cron, "2026-03-28 02:30 CET", "2026-03-29 03:00 CEST"},
		{"systemd leaves out such a day", "02:30", "2026-03-29 01:00 CET", Systemd, "2026-03-28 02:30 CET", "2026-03-30 02:30 CEST"},
		{"the first of a time that comes twice", "02:30", "2026-10-25 01:00 CEST", Systemd, "2026-10-24 02:30 CEST", "2026-10-25 02:30 CEST"},
		{"between both", "02:30", "2026-10-25 02:10 CET", Cron, "2026-10-25 02:30 CEST", "2026-10-26 02:30 CET"},
		{"over the end of a year", "23:59", "2026-12-31 23:59 CET", Cron, "2026-12-31 23:59 CET", "2027-01-01 23:59 CET"},
	} {
		at, err := ParseAt(c.at)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.ParseInLocation(form, c.now, loc)
		if err != nil {
			t.Fatal(err)
		}
		last, next := at.Due(now, c.kind)
		if last.Format(form) != c.last || next.Format(form) != c.next {
			t.Errorf("%s: last %s, next %s; want %s and %s", c.name, last.Format(form), next.Format(form), c.last, c.next)
		}
	}
}

// TestDueIsThatOfKubernetes compares, for every day of a year, the due time with the one
// computed by the package with which Kubernetes reads schedules.
func TestDueIsThatOfKubernetes(t *testing.T) {
	loc := berlin(t)
	for _, text := range []string{"00:00", "01:59", "02:30", "03:00", "13:05", "23:59"} {
		at, _ := ParseAt(text)
		peer, err := cron.ParseStandard(time.Date(2026, 1, 1, at.Hour, at.Minute, 0, 0, loc).Format("4 15 * * *"))
		if err != nil {
			t.Fatal(err)
		}
		for day := range 365 {
			now := time.Date(2026, 1, 1+day, 0, 30, 0, 0, loc)
			if _, next := at.Due(now, Kubernetes); !next.Equal(peer.Next(now)) {
				t.Errorf("%s after %s: %s, want %s", text, now, next, peer.Next(now))
			}
		}
	}
}

func TestLimitsUntil(t *testing.T) {
	for _, c := range [][3]string{{"01:30", "06:00", "4h30m"}, {"22:00", "06:00", "8h"}, {"06:00", "05:59", "23h59m"}, {"06:00", "06:00", "24h"}} {
		at, _ := ParseAt(c[0])
		until, _ := ParseAt(c[1])
		got := LimitsUntil(at, until)
		if got[1] != c[1] || got[3] != c[2] {
			t.Errorf("%s to %s: %v, want %s", c[0], c[1], got, c[2])
		}
		if d, err := time.ParseDuration(got[3]); err != nil || d > 24*time.Hour {
			t.Errorf("%v: %v", got, err)
		}
	}
}
