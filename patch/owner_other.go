//go:build !unix

package patch

// foreign is not known here; native git says so itself.
func (layout) foreign() bool { return false }
