// Package backup writes a backup of the archive after each nightly run, and keeps the
// newest. It prints nothing; package cli reports the result.
package backup
