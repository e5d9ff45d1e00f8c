//go:build !unix

package schedule

// Owner returns an empty name, because there are no system units here.
func Owner(string) string { return "" }

// CurrentUser returns an empty name, because there are no user units here.
func CurrentUser() string { return "" }
