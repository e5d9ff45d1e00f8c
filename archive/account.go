package archive

import (
	"context"
	"errors"
	"fmt"

	"evolve/bench"
)

func accountKey(run string) key { return newKey(tableAccount).text(run) }

// PutAccount stores the account of a run's spending, replacing the previous one, and syncs
// it to disk.
func (a *Archive) PutAccount(ctx context.Context, run string, account bench.Account) error {
	return a.change(ctx, "store the spending of run "+run, func(b *batch) error {
		return putDocument(b, accountKey(run), account)
	})
}

// Account returns the last account of a run. It returns ErrNotFound if the run spent
// nothing or was made by an older version of evolve. An export does not contain accounts,
// only each run's final sum in [Run.PaidUSD].
func (a *Archive) Account(ctx context.Context, run string) (bench.Account, error) {
	return named[bench.Account](ctx, a, accountKey(run), "the spending of run %q", run)
}

// Paid returns the amount in USD that all processes of a run have paid. Until the run has
// ended, the amount includes the reserved money. known is false if no amount was recorded,
// which is the case for runs of an older version of evolve.
func (a *Archive) Paid(ctx context.Context, r Run) (usd float64, known bool, err error) {
	if !r.Ended.IsZero() {
		return r.PaidUSD, r.PaidUSD > 0, nil
	}
	account, err := a.Account(ctx, r.ID)
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading the spending of the run: %w", err)
	}
	return account.USD, true, nil
}
