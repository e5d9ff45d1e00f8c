// Package gates owns judgement: the automatic checks a proposal must pass before
// a person sees it as approvable (base unchanged, config valid, rollback
// rehearsed), and the verdict they add up to. A gate that was never run is not a
// gate that passed.
package gates
