// Package archived provides the data for the pages of package view from an archive.
//
// It opens the archive for each piece of work and closes it at once, so that a run can
// begin in the meantime: a run cannot open an archive that a reader holds. The scores of
// an agent are held in memory, using some 30 bytes for each pair of a variant and a task
// with scores. They are read in the background, a part of the archive's evaluations at a
// time, and are read again for any run whose evaluations have changed. The package writes
// nothing.
package archived
