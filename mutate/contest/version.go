package contest

import (
	"context"
	"fmt"
	"runtime"
)

// versions says what the peers outside this module are, or why they are not there.
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
