// Package archived is the source of the pages of package view over an archive.
//
// It opens the archive for each piece of work and closes it at once, so that a run can begin
// meanwhile: a run cannot take an archive that a reader holds. The scores of an agent are kept
// in memory, some 30 bytes for each variant and task that has some. They are read in pieces of
// the archive's evaluations, in the background, and read again for a run whose evaluations have
// changed. It writes nothing.
package archived
