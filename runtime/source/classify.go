package source

import (
	"slices"
	"strings"
)

// Touch is a kind of resource outside a source file, such as the network, that the file
// works with.
type Touch string

// The values of Touch.
const (
	Network     Touch = "network"
	Files       Touch = "files"
	Environment Touch = "environment"
	Processes   Touch = "processes"
	Database    Touch = "database"
)

func kindOf(l Language, name string) Kind {
	switch l {
	case Go:
		return goKind(name)
	case Python:
		if strings.HasPrefix(name, ".") {
			return Internal
		}
		first, _, _ := strings.Cut(name, ".")
		if in(pythonStandard, first) {
			return Standard
		}
		return ThirdParty
	}
	switch {
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"):
		return Internal
	case strings.HasPrefix(name, "node:"), strings.HasPrefix(name, "bun:"):
		return Standard
	}
	first, _, _ := strings.Cut(name, "/")
	if in(nodeStandard, first) {
		return Standard
	}
	return ThirdParty
}

func goKind(name string) Kind {
	if strings.HasPrefix(name, ".") {
		return Internal
	}
	first, _, _ := strings.Cut(name, "/")
	if in(goStandard, first) {
		return Standard
	}
	return ThirdParty
}

// in reports whether a word is in list, in which every word is surrounded by blanks.
func in(list, w string) bool {
	return w != "" && !strings.ContainsAny(w, " \n") && strings.Contains(list, " "+w+" ")
}

// touches returns what the imports give access to; type-only imports give access to
// nothing.
func touches(l Language, imports []Import) []Touch {
	var out []Touch
	for _, imp := range imports {
		if imp.TypeOnly || imp.Kind == Internal {
			continue
		}
		for _, w := range reaches {
			list := w.names[l]
			if l == TypeScript {
				list = w.names[JavaScript]
			}
			if reached(l, list, imp) && !slices.Contains(out, w.touch) {
				out = append(out, w.touch)
			}
		}
	}
	slices.Sort(out)
	return out
}

// reached reports whether list contains the imported module or one of its parents, so an
// entry for net/http also applies to net/http/httputil.
func reached(l Language, list string, imp Import) bool {
	name := imp.Path
	sep := "/"
	if l == Python {
		sep = "."
	} else {
		name = strings.TrimPrefix(name, "node:")
	}
	for name != "" {
		if in(list, name) {
			return true
		}
		i := strings.LastIndex(name, sep)
		if i < 0 {
			break
		}
		name = name[:i]
	}
	return false
}

// The first elements of the import paths in the standard libraries (Go 1.26, Python 3.14,
// Node 24).
const (
	goStandard = " C archive arena bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe uuid weak "

	pythonStandard = " __future__ __main__ _thread abc aifc annotationlib argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msvcrt multiprocessing netrc nntplib numbers operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo "

	nodeStandard = " assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib "
)

// reaches lists, by language, the modules that give access to something outside the file.
// An entry for a module includes everything below it.
var reaches = []struct {
	touch Touch
	names map[Language]string
}{
	{Network, map[Language]string{
		Go:         " net crypto/tls golang.org/x/net google.golang.org/grpc github.com/gorilla/websocket github.com/coder/websocket github.com/gin-gonic/gin github.com/labstack/echo github.com/go-chi/chi github.com/nats-io/nats.go ",
		Python:     " socket ssl http urllib.request urllib3 requests httpx aiohttp websockets ftplib smtplib imaplib poplib telnetlib xmlrpc socketserver paramiko grpc boto3 flask fastapi django uvicorn starlette tornado twisted zmq ",
		JavaScript: " http https http2 net tls dgram dns axios node-fetch undici got request superagent ws socket.io socket.io-client express koa fastify next @grpc/grpc-js ",
	}},
	{Files, map[Language]string{
		Go:         " os io/ioutil embed archive github.com/spf13/afero github.com/fsnotify/fsnotify ",
		Python:     " os io pathlib shutil tempfile glob fileinput filecmp zipfile tarfile gzip bz2 lzma mmap aiofiles watchdog ",
		JavaScript: " fs fs-extra graceful-fs glob chokidar rimraf mkdirp ",
	}},
	{Environment, map[Language]string{
		Go:         " os syscall github.com/joho/godotenv github.com/spf13/viper github.com/kelseyhightower/envconfig ",
		Python:     " os dotenv environs decouple ",
		JavaScript: " process os dotenv env-var ",
	}},
	{Processes, map[Language]string{
		Go:         " os/exec os/signal syscall plugin golang.org/x/sys ",
		Python:     " subprocess multiprocessing pty signal sh pexpect psutil concurrent.futures ",
		JavaScript: " child_process cluster worker_threads execa shelljs cross-spawn ",
	}},
	{Database, map[Language]string{
		Go:         " database/sql gorm.io/gorm github.com/jmoiron/sqlx github.com/jackc/pgx github.com/lib/pq github.com/mattn/go-sqlite3 modernc.org/sqlite github.com/redis/go-redis go.mongodb.org/mongo-driver github.com/dgraph-io/badger go.etcd.io/bbolt ",
		Python:     " sqlite3 dbm shelve psycopg psycopg2 asyncpg pymysql mysql sqlalchemy pymongo redis peewee django.db duckdb cassandra ",
		JavaScript: " sqlite sqlite3 better-sqlite3 pg mysql mysql2 mongodb mongoose redis ioredis knex sequelize typeorm @prisma/client drizzle-orm ",
	}},
}
