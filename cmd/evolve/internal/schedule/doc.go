// Package schedule starts `evolve run` every night by systemd or cron. It renders the units,
// the lines of a crontab and a CronJob of Kubernetes, installs and removes them, and finds
// what is installed. The installed text is the only record of the schedule: the time in it
// decides when the next night is due, and the runs of an archive decide whether the last one
// was missed. The package reads no environment and no clock.
package schedule
