// Package backup writes a backup of the archive after each nightly run, and retains the
// newest backups. It prints nothing; package cli reports the result.
package backup
