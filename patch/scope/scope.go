package scope

// Mode is the mode of an entry in a tree, as git writes it.
type Mode uint32

// The supported modes and the refused modes.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// Entry is a file, a link or a submodule in a tree.
type Entry struct {
	// Path is the path in the tree, slash-separated and relative to the root of the
	// repository.
	Path string
	Mode Mode
	// Hash identifies the content; Size is the length of the content in bytes.
	Hash string
	Size int64
}

// Tree lists the files, links and submodules of a tree, in the order of their paths.
type Tree []Entry

// Policy describes what a target allows. Its zero value allows nothing.
type Policy struct {
	// Allow and Deny are paths relative to the root of the repository; each path includes
	// everything below it. Deny wins over Allow.
	Allow []string `json:"allow"`
	Deny  []string `json:"deny,omitempty"`
	// Cgo allows a patch to change C and assembly files.
	Cgo bool `json:"cgo,omitempty"`
	// Scored allows a patch to change shell scripts, if an entry of Allow names the script
	// itself. It means that the target has a scoring command, which judges these scripts.
	Scored bool `json:"scored,omitempty"`
	// Runtime marks the target as an agent runtime. Changes to its authentication, gateway,
	// config schema and communication paths are then refused, too.
	Runtime bool `json:"runtime,omitempty"`
	// MaxFiles is the maximum number of files that a patch may change, and MaxBytes the
	// maximum length, in bytes, of a file after the patch. Zero means 20 files and 256 KiB.
	MaxFiles int   `json:"max_files,omitempty"`
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// Finding is one reason to refuse a patch.
type Finding struct {
	Path string `json:"path"`
	// Rule names the violated rule, such as "symlink" or "not allowed".
	Rule string `json:"rule"`
	// Why explains the finding to a person.
	Why string `json:"why"`
}

// Judgement is the result of judging a patch's scope.
type Judgement struct {
	// Refused is empty if the whole patch is within the scope.
	Refused []Finding `json:"refused,omitempty"`
	// Changed lists the paths that differ between the trees. NewTests lists the changed
	// test files and testdata that the base does not have; they are judged separately.
	Changed  []string `json:"changed"`
	NewTests []string `json:"new_tests,omitempty"`
}
