// Package keeping writes a backup of the archive after each night, and keeps the newest.
// It prints nothing; package main says what came of it.
package keeping
