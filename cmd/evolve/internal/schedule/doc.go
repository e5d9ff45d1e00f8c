// Package schedule starts `evolve run` every night by systemd or cron. It renders the units,
// the lines of a crontab and a CronJob of Kubernetes, installs and removes them, and finds
// installed ones. The units or lines are the only record of a schedule: their time of day
// decides when the next night is due, and the runs of an archive decide whether the last one
// was missed. The package reads no environment and no clock.
package schedule
