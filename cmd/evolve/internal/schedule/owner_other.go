//go:build !unix

package schedule

// Owner returns an empty name, because there are no system units on this system.
func Owner(string) string { return "" }

// CurrentUser returns an empty name, because there are no user units on this system.
func CurrentUser() string { return "" }
