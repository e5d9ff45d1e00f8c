package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// LedgerRepaired is the kind of the ledger entry that a repair appends. The entry's data is
// a Repair.
const LedgerRepaired = "archive.repair"

// Repair describes the damage to an archive, and how many of its records a repair retains
// and loses.
type Repair struct {
	// Damage lists the damage that was found; it is empty for a sound archive.
	Damage []DamageError `json:"damage"`
	// Kept counts the records in the repaired archive, by kind. Lost counts the records
	// that a file or the ledger names but that cannot be read, or that contradict other
	// records. A record that left no trace is not counted.
	Kept map[string]int `json:"kept"`
	Lost map[string]int `json:"lost"`
	// Older counts the kept records whose newest version cannot be read, so that an older
	// version is kept instead.
	Older int `json:"older"`
	// Ledger is the number of entries in the intact part of the chain, LedgerKnown is the
	// highest entry number of which there is a trace, and Behind is the number of readable
	// entries after the break, which remain only in the damaged archive.
	Ledger      int64 `json:"ledger_entries"`
	LedgerKnown int64 `json:"ledger_known"`
	Behind      int   `json:"ledger_behind"`
	// Aside is the folder to which the damaged archive was moved; it is empty until the
	// archive has been moved.
	Aside string `json:"aside,omitempty"`
}

// Sound reports whether there is nothing to repair.
func (r *Repair) Sound() bool { return len(r.Damage) == 0 }

// repairKinds maps each table whose records a repair counts to the name of these records.
// The other tables hold indexes and counters, which a repair rebuilds.
var repairKinds = map[byte]string{
	tableVariant: "variants", tableEvaluation: "evaluations", tableTranscript: "transcripts", tableRun: "runs",
	tablePlan: "plans", tableResult: "results", tableProposal: "proposals", tableDecision: "decisions",
	tableLedger: "ledger entries", tableExposure: "exposures", tableCandidate: "candidates", tableMutation: "mutations",
	tableRequest: "change requests", tableTurn: "turns", tableTurnTranscript: "transcripts of turns",
	tableSession: "sessions", tableIntent: "intents", tableToolHealth: "tool healths",
	tableExperience: "experiences", tableAutonomy: "levels of autonomy",
}

// PlanRepair reads the archive in dir and returns what a repair would keep. It changes
// nothing, except that it recovers a sound archive after a crash. It fails with a
// *LockedError while a process holds the archive, and with ErrNotFound if there is no
// archive.
func PlanRepair(ctx context.Context, dir string) (*Repair, error) {
	p, err := planRepair(ctx, dir, systemClock())
	if err != nil {
		return nil, fmt.Errorf("plan the repair of the archive: %w", resourceError(diskError(err)))
	}
	return &p.Repair, p.close()
}

// RepairArchive builds a sound archive beside dir from the readable records of the
// damaged one in dir, with a ledger entry of the kind LedgerRepaired that names the lost
// records. RepairArchive then moves the damaged archive aside, unchanged, and moves the
// new archive into its place. If the process is killed at any moment, dir holds either
// the damaged archive or the repaired one, and the repair can be repeated. A sound
// archive is left as it is.
func RepairArchive(ctx context.Context, dir string, how Building) (*Repair, error) {
	how.Now = how.options().clock().now
	p, err := planRepair(ctx, dir, how.options().clock())
	if err != nil {
		return nil, fmt.Errorf("repair the archive: %w", resourceError(diskError(err)))
	}
	if p.Sound() {
		return &p.Repair, p.close()
	}
	p.Aside = dir + damagedSuffix + how.Now().UTC().Format("20060102T150405Z")
	for n := 2; exists(p.Aside); n++ {
		p.Aside = fmt.Sprintf("%s%s%s-%d", dir, damagedSuffix, how.Now().UTC().Format("20060102T150405Z"), n)
	}
	how.Aside, how.repairs = p.Aside, true
	err = Beside(ctx, dir, how, func(ctx context.Context, built string) error {
		return errors.Join(p.build(ctx, built, how), p.close())
	})
	if err != nil {
		return nil, fmt.Errorf("repair the archive: %w", err)
	}
	return &p.Repair, nil
}

// damagedSuffix stands between the archive's name and the time in the name of a damaged
// archive that was moved aside.
const damagedSuffix = ".damaged-"

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// repairPlan is a Repair together with the records that it retains.
type repairPlan struct {
	Repair
	records *salvaged
	lock    *archiveLock
	before  map[string]uint64 // the versions of the records that could be read, by key
}

func (p *repairPlan) close() error {
	var err error
	if p.records != nil {
		err = p.records.close()
		p.records = nil
	}
	if p.lock != nil {
		err = errors.Join(err, p.lock.release())
		p.lock = nil
	}
	return err
}

func planRepair(ctx context.Context, dir string, clock clock) (*repairPlan, error) {
	fault := soundness(ctx, dir)
	if !errors.Is(fault, ErrCorrupt) || errors.As(fault, new(*WitnessError)) {
		return &repairPlan{Repair: Repair{Damage: []DamageError{}}}, fault
	}
	p := &repairPlan{lock: newLock(dir)}
	ok, err := p.lock.file.TryRLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, p.lock.locked(clock)
	}
	if w, there, err := WitnessOf(dir); err == nil && there {
		p.LedgerKnown = w.Seq
	}
	if err := p.plan(ctx, filepath.Join(dir, storeName), fault); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// soundness opens an archive and checks all of it. It returns nil if the archive is sound.
func soundness(ctx context.Context, dir string) error {
	a, err := Inspect(dir)
	if err != nil {
		return err
	}
	if owner, alive, err := a.Writer(ctx); err != nil || alive {
		return errors.Join(err, &LockedError{Owner: owner}, a.Close())
	}
	err = a.Check(ctx)
	if err == nil {
		_, err = a.CheckWitness(ctx)
	}
	return errors.Join(err, a.Close())
}

func (p *repairPlan) plan(ctx context.Context, store string, fault error) error {
	var err error
	if p.records, err = salvage(ctx, store, anyVersion); err != nil {
		return err
	}
	p.Damage = []DamageError{}
	for _, d := range p.records.damage {
		p.Damage = append(p.Damage, *d)
	}
	if len(p.Damage) == 0 { // the files are whole, but their records are inconsistent
		p.Damage = append(p.Damage, DamageError{"records", -1, 0, fault.Error()})
	}
	p.before = make(map[string]uint64, len(p.records.records))
	for k, f := range p.records.records {
		p.before[k] = f.version
	}
	if f, ok := p.records.records[string(importKey())]; ok {
		if n, err := decodeNumber(f.value); err != nil || n != importDone {
			return fault // an interrupted import is not a damaged archive
		}
	}
	packer, err := newPacker()
	if err != nil {
		return err
	}
	defer packer.close()
	m := mender{ctx: ctx, s: p.records, a: &Archive{store: p.records, packer: packer}}
	if p.Behind, err = m.ledger(&p.Repair); err != nil {
		return err
	}
	if err := m.mend(); err != nil {
		return err
	}
	p.count()
	return nil
}

// count fills in Kept, Lost and Older by comparing the kept records with all records that
// left a trace.
func (p *repairPlan) count() {
	p.Kept, p.Lost = map[string]int{}, map[string]int{}
	for k := range p.records.records {
		if kind, ok := repairKinds[k[0]]; ok {
			p.Kept[kind]++
		}
	}
	for k, version := range p.records.seen {
		kind, ok := repairKinds[k[0]]
		if !ok {
			continue
		}
		if _, kept := p.records.records[k]; !kept {
			p.Lost[kind]++
		} else if p.before[k] != 0 && p.before[k] < version {
			p.Older++
		}
	}
	if missing := int(p.LedgerKnown - p.Ledger); missing > p.Lost[repairKinds[tableLedger]] {
		p.Lost[repairKinds[tableLedger]] = missing
	}
	maps.DeleteFunc(p.Lost, func(_ string, n int) bool { return n == 0 })
}

// build writes the records to keep into a new archive.
func (p *repairPlan) build(ctx context.Context, dir string, how Building) (err error) {
	a, err := open(dir, how.options())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.startImport(ctx); err != nil {
		return err
	}
	var b batch
	err = p.records.scan(ctx, nil, nil, func(k, value []byte) error {
		if bytes.Equal(k, importKey()) {
			return nil
		}
		return b.add(a.store, k, value)
	})
	if err != nil {
		return err
	}
	b.put(importKey(), encodeNumber(importDone))
	if err := errors.Join(a.store.write(&b), a.rewriteWitness(ctx)); err != nil {
		return err
	}
	report := p.Repair
	report.Aside = filepath.Base(report.Aside)
	data, err := json.Marshal(report)
	if err != nil {
		return err
	}
	_, err = a.Append(ctx, LedgerEntry{Time: how.Now(), Kind: LedgerRepaired, Actor: "evolve", Subject: "archive", Data: data})
	return err
}
