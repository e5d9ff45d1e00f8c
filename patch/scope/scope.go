package scope

// Mode is the kind of a tree's entry, as git writes it.
type Mode uint32

// The modes that there are.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// Entry is one file of a tree, or a link or submodule.
type Entry struct {
	// Path is as the tree has it, slash-separated from the root of the repository.
	Path string
	Mode Mode
	// Hash names the content; Size is its length in bytes.
	Hash string
	Size int64
}

// Tree lists all files, in the order of their paths.
type Tree []Entry

// Policy is what a target allows. Its zero value allows nothing.
type Policy struct {
	// Allow and Deny are paths from the root of the repository; each covers itself
	// and everything below it. Deny wins.
	Allow []string `json:"allow"`
	Deny  []string `json:"deny,omitempty"`
	// Cgo lets a patch touch C and assembly.
	Cgo bool `json:"cgo,omitempty"`
	// Runtime says that the target is itself an agent runtime, whose authentication,
	// gateway, config schema and communication paths are denied as well.
	Runtime bool `json:"runtime,omitempty"`
	// MaxFiles and MaxBytes bound a patch: files it changes, bytes of a file
	// after it. Zero: 20 files, 256 KiB.
	MaxFiles int   `json:"max_files,omitempty"`
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// Finding is one reason to refuse a patch.
type Finding struct {
	Path string `json:"path"`
	// Rule names what it offends against, such as "symlink" or "not allowed".
	Rule string `json:"rule"`
	// Why says it in words for a person.
	Why string `json:"why"`
}

// Judgement is what became of a patch's scope.
type Judgement struct {
	// Refused is empty when everything is within the scope.
	Refused []Finding `json:"refused,omitempty"`
	// Changed are the paths that differ, NewTests those of them that are test files
	// and testdata which the base does not have: a lane of their own.
	Changed  []string `json:"changed"`
	NewTests []string `json:"new_tests,omitempty"`
}
