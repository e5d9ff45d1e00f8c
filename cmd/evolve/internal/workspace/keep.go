package workspace

import (
	"math"
	"path/filepath"
	"regexp"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v4"
)

// Backup settings.
type Backup struct {
	// Keep is the number of nightly backups that are retained, 3 by default; 0 disables
	// backups.
	Keep int
	// Dir is the backup folder, relative to the workspace.
	Dir string
}

// Keep limits the records of nights that are retained; the zero value retains everything.
type Keep struct {
	// Nights is the number of each agent's latest nights whose transcripts and evaluations
	// are retained; 0 means all nights.
	Nights int
	// Size is the maximum size of the archive on disk, in bytes; 0 means unlimited.
	Size int64
}

// defaultBackups is the default backup folder.
var defaultBackups = filepath.Join(".evolve", "backups")

// BackupDir returns the backup folder.
func (w *Workspace) BackupDir() string {
	dir := filepath.FromSlash(w.Settings.Backup.Dir)
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.Root, dir)
}

// The smallest and largest sizes that are valid in evolve.yaml.
const (
	leastSize = 1 << 20
	mostSize  = 1 << 50
)

// folderPattern does not match paths that a shell would expand. evolve does not pass the
// paths to a shell, so they would not be expanded.
var folderPattern = regexp.MustCompile(`^[^~$\x00-\x1f][^\x00-\x1f]*$`)

func backupKeys(b *Backup) object {
	return object{keys: []key{
		{name: "keep", doc: "number of most recent backups to keep; with 0, nights make no backups", field: whole[int]{&b.Keep, 0, 1000}, def: show(b.Keep)},
		{name: "dir", doc: "folder for the backups, relative to this file; a folder on another disk survives the loss of this disk", field: text{to: &b.Dir, pattern: folderPattern, rule: "a path without ~ or $ at its start"}, def: filepath.ToSlash(b.Dir)},
	}}
}

func keepKeys(k *Keep) object {
	return object{keys: []key{
		{name: "nights", doc: "number of an agent's latest nights whose transcripts and evaluations are kept; the evaluations of the latest 30 are always kept, because nights learn from them", field: whole[int]{&k.Nights, 1, maxCount}, example: "60"},
		{name: "size", doc: "space that the archive may use on disk, such as 2GiB; the oldest transcripts are removed first, then the oldest evaluations", field: size{&k.Size, leastSize, mostSize}, example: "2GiB"},
	}}
}

// size is the field for a number of bytes such as 500MB or 2GiB.
type size struct {
	to       *int64
	min, max int64
}

var sizePattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)B$`)

func (f size) read(s *source, n *yaml.Node, name string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !sizePattern.MatchString(n.Value) {
		s.bad(n, "write it like 500MB or 2GiB", "%s must be a size", name)
		return
	}
	v, err := humanize.ParseBytes(n.Value)
	if err != nil || v > math.MaxInt64 || int64(v) < f.min || int64(v) > f.max {
		s.bad(n, "", "%s is %s, but must be from %s to %s", name, n.Value, humanize.IBytes(uint64(f.min)), humanize.IBytes(uint64(f.max)))
		return
	}
	*f.to = int64(v)
}

func (size) schema() schema { return schema{"type": "string", "pattern": sizePattern.String()} }
