package archive

import (
	"context"
	"errors"
	"fmt"

	"evolve/bench"
)

func accountKey(run string) key { return newKey(tableAccount).text(run) }

// PutAccount stores the money of a run, replacing its last account, synced to disk.
func (a *Archive) PutAccount(ctx context.Context, run string, account bench.Account) error {
	return a.change(ctx, "store the money of run "+run, func(b *batch) error {
		return putDocument(b, accountKey(run), account)
	})
}

// Account returns the last account of a run, or ErrNotFound where it spent nothing or an
// older evolve ran it. An export does not contain it: [Run.PaidUSD] is the sum at the end.
func (a *Archive) Account(ctx context.Context, run string) (bench.Account, error) {
	return named[bench.Account](ctx, a, accountKey(run), "the money of run %q", run)
}

// Paid returns the money that all processes of a run have paid, in USD, with what is
// reserved while one of them runs, and reports whether the account exists: an older
// evolve recorded none.
func (a *Archive) Paid(ctx context.Context, r Run) (usd float64, known bool, err error) {
	if !r.Ended.IsZero() {
		return r.PaidUSD, r.PaidUSD > 0, nil
	}
	account, err := a.Account(ctx, r.ID)
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading what the run has paid: %w", err)
	}
	return account.USD, true, nil
}
