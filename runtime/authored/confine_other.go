//go:build !linux

package authored

import "errors"

func confine(settings) error { return errors.ErrUnsupported }
