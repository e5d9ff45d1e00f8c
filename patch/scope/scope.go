package scope

// Mode is the mode of a tree's entry, as git writes it.
type Mode uint32

// The supported and the refused modes.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// Entry is one file of a tree, or a link or submodule.
type Entry struct {
	// Path is the path in the tree, slash-separated from the root of the repository.
	Path string
	Mode Mode
	// Hash identifies the content; Size is its length in bytes.
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
	// Cgo allows a patch to change C and assembly.
	Cgo bool `json:"cgo,omitempty"`
	// Scored allows a patch to change shell scripts that an entry of Allow names as files: the
	// target has a scoring command, by which they are judged.
	Scored bool `json:"scored,omitempty"`
	// Runtime marks the target as an agent runtime, whose authentication, gateway, config
	// schema and communication paths are denied as well.
	Runtime bool `json:"runtime,omitempty"`
	// MaxFiles is the maximum number of files that a patch changes, MaxBytes the maximum
	// size of a file after it. Zero: 20 files, 256 KiB.
	MaxFiles int   `json:"max_files,omitempty"`
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

// Finding is one reason to refuse a patch.
type Finding struct {
	Path string `json:"path"`
	// Rule names the violated rule, such as "symlink" or "not allowed".
	Rule string `json:"rule"`
	// Why explains it to a person.
	Why string `json:"why"`
}

// Judgement is the result of judging a patch's scope.
type Judgement struct {
	// Refused is empty if everything is within the scope.
	Refused []Finding `json:"refused,omitempty"`
	// Changed are the paths that differ. NewTests are the test files and testdata among
	// them that the base does not have; they are judged separately.
	Changed  []string `json:"changed"`
	NewTests []string `json:"new_tests,omitempty"`
}
