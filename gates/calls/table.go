package calls

import (
	"path"
	"strings"
)

// kind is the kind of a call by its effect, as an index into [kinds].
type kind int

const (
	ends kind = iota
	writes
	reads
	reaches
)

// kinds contains, for each kind of call, the words with which the evidence describes the
// effect of such calls.
var kinds = [...]string{
	ends:    "ends the process",
	writes:  "writes output",
	reads:   "reads the arguments or the environment of the process",
	reaches: "reaches files, the network, processes or other code",
}

// family is a group of languages that share the same known names.
type family struct {
	endings string
	// words holds the known names of each kind. The elements of a name are separated by
	// dots, and a word matches a name that contains the word's elements in sequence, as
	// argv matches sys.argv. A word that ends with a bracket matches only at the end of a
	// name that is followed by this bracket, and a word that begins with = must match the
	// whole name.
	words [len(kinds)]string
	// imports reports whether an import of a module that the file did not import in the
	// base counts as a call whose kind is reaches.
	imports bool
	// commands reports whether words count only at the beginning of a command.
	commands bool
	// printing reports whether functions return values by writing output. If so, output
	// calls count only in text that wrote no output in the base.
	printing bool
}

// families lists the languages that are read.
var families = []family{
	{
		endings: "py pyi pyx bzl star", imports: true,
		words: [...]string{
			ends:    "exit( quit( _exit abort( SystemExit KeyboardInterrupt kill( killpg raise_signal atexit execv execve execvp execl execlp",
			writes:  "print pprint stdout stderr __stdout__ __stderr__ os.write writev",
			reads:   "argv orig_argv environ environb getenv getenvb argparse getopt stdin =input( getppid",
			reaches: "open( =exec( =eval( subprocess socket __import__ importlib getattr ctypes =globals( =locals( =vars( inspect _getframe builtins __builtins__ __globals__ __subclasses__ popen system( fork( urllib urlopen sys.modules",
		},
	},
	{
		endings: "js jsx mjs cjs ts tsx mts cts",
		words: [...]string{
			ends:    "process.exit process.abort process.kill reallyExit exitCode Deno.exit exit( abort( quit(",
			writes:  "console stdout stderr writeSync =print( =alert(",
			reads:   "argv argv0 execArgv process.env Deno.args Deno.env stdin",
			reaches: "require( import =eval( Function( child_process fs readFileSync readFile writeFileSync writeFile fetch( WebSocket XMLHttpRequest globalThis getBuiltinModule execSync spawnSync",
		},
	},
	{
		endings: "sh bash zsh ksh", commands: true, printing: true,
		words: [...]string{
			ends:    "exit kill pkill killall trap",
			writes:  "echo printf print cat tee",
			reads:   "$0 $@ $* env printenv ps",
			reaches: "eval exec source curl wget nc ssh python python3 perl node ruby awk",
		},
	},
	{
		endings: "awk", printing: true,
		words: [...]string{ends: "exit", writes: "print printf", reads: "ARGV ARGC ENVIRON", reaches: "system( getline"},
	},
	{
		endings: "rb cr rake",
		words: [...]string{
			ends:    "exit abort at_exit kill",
			writes:  "puts print printf putc pp warn $stdout $stderr STDOUT STDERR syswrite",
			reads:   "ARGV ENV $0 $PROGRAM_NAME $stdin STDIN",
			reaches: "eval instance_eval class_eval send public_send const_get system exec spawn fork open IO File Dir Socket TCPSocket Net require require_relative load binding ObjectSpace",
		},
	},
	{
		endings: "pl pm",
		words: [...]string{
			ends:    "exit _exit kill",
			writes:  "print printf say STDOUT STDERR syswrite",
			reads:   "ARGV $ARGV ENV $ENV $0 STDIN",
			reaches: "open eval require system exec fork socket do qx",
		},
	},
	{
		endings: "php",
		words: [...]string{
			ends:    "exit die posix_kill register_shutdown_function",
			writes:  "echo print printf print_r var_dump STDOUT STDERR fwrite( file_put_contents",
			reads:   "$argv $argc $_SERVER $_ENV getenv STDIN",
			reaches: "fopen( file_get_contents eval( include include_once require require_once exec( shell_exec system( passthru proc_open popen fsockopen curl_exec call_user_func",
		},
	},
	{
		endings: "lua",
		words: [...]string{
			ends:    "os.exit",
			writes:  "print io.write stdout stderr",
			reads:   "arg[ os.getenv stdin",
			reaches: "io.open io.popen io.lines os.execute require load( loadstring loadfile dofile debug _G _ENV",
		},
	},
	{
		endings: "c h cc cpp cxx hh hpp hxx cs java rs kt kts swift scala sc dart groovy d zig",
		words: [...]string{
			ends:    "exit( _exit _Exit quick_exit abort( atexit kill( raise( terminate( halt( System.exit Environment.Exit exitProcess process.exit process.abort addShutdownHook",
			writes:  "print println eprint eprintln printf fprintf puts fputs putchar putc fwrite cout cerr clog stdout stderr System.out System.err Console =write(",
			reads:   "argv argc getenv environ env.args env.var env.vars CommandLine GetCommandLineArgs GetEnvironmentVariable ProcessInfo stdin cin",
			reaches: "fopen =open( popen system( dlopen dlsym fork( execv execve execvp socket( Runtime ProcessBuilder forName setAccessible import using use Command File fs net URL asm",
		},
	},
}

// shebangs lists the interpreters named in the first line of a file without an extension,
// each with the extension of its language.
var shebangs = []struct{ word, ending string }{
	{"python", "py"}, {"node", "js"}, {"ruby", "rb"}, {"perl", "pl"}, {"awk", "awk"}, {"php", "php"}, {"lua", "lua"}, {"sh", "sh"},
}

// familyOf returns the family of a file's language, and the file name that determines how
// its tokens are read. The family is nil if the language is not supported.
func familyOf(file, text string) (*family, string) {
	ending := strings.TrimPrefix(strings.ToLower(path.Ext(file)), ".")
	if first, _, _ := strings.Cut(text, "\n"); ending == "" && strings.HasPrefix(first, "#!") {
		for _, s := range shebangs {
			if strings.Contains(first, s.word) {
				ending = s.ending
				break
			}
		}
		file += "." + ending
	}
	for i := range families {
		for _, e := range strings.Fields(families[i].endings) {
			if e == ending {
				return &families[i], file
			}
		}
	}
	return nil, file
}
