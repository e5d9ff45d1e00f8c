package contest

import (
	"context"
	"fmt"
	"runtime"
)

// versions returns the versions of the external peers and of Go. For a peer that is
// missing, it gives the reason instead.
func versions(ctx context.Context) string {
	said := "Optuna "
	if _, v, err := python(ctx); err != nil {
		said = fmt.Sprint(err)
	} else {
		said += v
	}
	if v, err := iraceVersion(ctx); err != nil {
		said += fmt.Sprint("; ", err)
	} else {
		said += "; irace " + v
	}
	return said + "; " + runtime.Version()
}
