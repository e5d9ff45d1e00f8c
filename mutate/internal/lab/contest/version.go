package contest

import (
	"context"
	"fmt"
	"runtime"
)

// versions describes the external peers, with the reason for missing ones.
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
