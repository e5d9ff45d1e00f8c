package wire

import (
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	at := func(text string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, tt := range []struct{ name, until, now, want string }{
		{"tomorrow", "06:00", "2026-11-20 22:00:00", "2026-11-21 06:00:00"},
		{"today", "06:00", "2026-11-20 01:30:00", "2026-11-20 06:00:00"},
		{"one digit", "6:00", "2026-11-20 01:30:00", "2026-11-20 06:00:00"},
		{"now is over", "06:00", "2026-11-20 06:00:00", "2026-11-21 06:00:00"},
		{"end of a month", "00:05", "2026-11-30 23:59:59", "2026-12-01 00:05:00"},
		{"the night that is an hour longer", "06:00", "2026-10-24 22:00:00", "2026-10-25 06:00:00"},
		{"the night that is an hour shorter", "06:00", "2026-03-28 22:00:00", "2026-03-29 06:00:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Deadline(tt.until, at(tt.now))
			if err != nil || !got.Equal(at(tt.want)) {
				t.Errorf("%v, %v; want %s", got, err, tt.want)
			}
		})
	}
	for _, bad := range []string{"25:00", "06:60", "6", "6 am", "06:00:00", "-1:00", "x"} {
		if _, err := Deadline(bad, at("2026-11-20 22:00:00")); err == nil {
			t.Errorf("--until %s was accepted", bad)
		}
	}
	if got, err := Deadline("", at("2026-11-20 22:00:00")); err != nil || !got.IsZero() {
		t.Errorf("without --until: %v, %v", got, err)
	}
}
