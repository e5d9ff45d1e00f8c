// Package schedule makes systemd or cron start `evolve run` every night. It renders the
// units, the crontab lines and a Kubernetes CronJob, installs and removes schedules, and
// finds installed ones. The units or lines are the only record of a schedule: their time of
// day decides when the next night is due, and the runs in an archive decide whether the
// last night was missed. The package reads no environment and no clock.
package schedule
