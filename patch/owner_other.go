//go:build !unix

package patch

// foreign is not implemented on this system; native git checks the owner itself.
func (layout) foreign() bool { return false }
