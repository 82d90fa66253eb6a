package check

import (
	"slices"
	"strings"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/pydist"
)

// A pyImport is a module that Python text imports.
type pyImport struct {
	module string // the top-level name
	offset int    // of the name
}

// pythonImports returns the imports of a text, in its order. Those that it can
// do without, which stand in a try statement or are for type checkers alone, are left
// out, and so are relative ones.
func pythonImports(src string) []pyImport {
	if !strings.Contains(src, "import ") {
		return nil
	}
	var list []pyImport
	quote := ""     // what ends the text in which the line starts
	spared := -1    // the indentation of the statement whose block is left out
	joined := false // the line goes on from the one before
	at := 0
	for line := range strings.Lines(src) {
		start := at
		at += len(line)
		inText, goesOn := quote != "", joined
		code := stripPython(line, &quote)
		joined = strings.HasSuffix(strings.TrimRight(code, " \t\r\n"), `\`)
		trimmed := strings.TrimLeft(code, " \t")
		if inText || goesOn || strings.TrimSpace(trimmed) == "" {
			continue
		}
		indent := len(code) - len(trimmed)
		head, _, _ := strings.Cut(strings.TrimSpace(trimmed), " ")
		head = strings.TrimRight(head, ":")
		if spared >= 0 && indent <= spared && !(indent == spared && (head == "except" || head == "else" || head == "finally")) {
			spared = -1
		}
		if spared < 0 && (head == "try" || head == "if" && strings.Contains(trimmed, "TYPE_CHECKING")) {
			spared = indent
		}
		if spared >= 0 {
			continue
		}
		for rest := trimmed; rest != ""; {
			stmt, after, _ := strings.Cut(rest, ";")
			for _, m := range importedBy(stmt) {
				m.offset += start + len(code) - len(rest)
				list = append(list, m)
			}
			rest = after
		}
	}
	return list
}

// importedBy returns the modules that a statement imports, with offsets in it.
func importedBy(stmt string) []pyImport {
	at := len(stmt) - len(strings.TrimLeft(stmt, " \t"))
	if rest, ok := strings.CutPrefix(stmt[at:], "from "); ok {
		if words := strings.Fields(rest); len(words) > 2 && words[1] == "import" {
			return appendModule(nil, words[0], at+len("from ")+strings.Index(rest, words[0]))
		}
		return nil
	}
	rest, ok := strings.CutPrefix(stmt[at:], "import ")
	if !ok {
		return nil
	}
	at += len("import ")
	var list []pyImport
	for item := range strings.SplitSeq(rest, ",") {
		words := strings.Fields(item)
		if len(words) == 0 || len(words) > 1 && (len(words) != 3 || words[1] != "as") {
			return nil // prose
		}
		list = appendModule(list, words[0], at+strings.Index(item, words[0]))
		at += len(item) + len(",")
	}
	return list
}

// appendModule appends the top of a dotted name, unless it is a relative one
// or none at all.
func appendModule(list []pyImport, dotted string, offset int) []pyImport {
	top, _, _ := strings.Cut(dotted, ".")
	for i := range len(top) {
		if c := top[i]; c != '_' && (c|0x20 < 'a' || 'z' < c|0x20) && (c < '0' || '9' < c || i == 0) {
			return list
		}
	}
	if top == "" {
		return list
	}
	return append(list, pyImport{top, offset})
}

// stripPython returns the line up to its comment. quote is what ends the text
// that goes over several lines, if the line starts, or ends, in one.
func stripPython(line string, quote *string) string {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case *quote != "":
			if c == '\\' {
				i++
			} else if strings.HasPrefix(line[i:], *quote) {
				i += len(*quote) - 1
				*quote = ""
			}
		case c == '#':
			return line[:i]
		case strings.HasPrefix(line[i:], `"""`), strings.HasPrefix(line[i:], "'''"):
			*quote = line[i : i+3]
			i += 2
		case c == '"' || c == '\'':
			for i++; i < len(line) && line[i] != c; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		}
	}
	return line
}

// scriptPackages returns the normal names of the distributions that Python
// texts declare for themselves, in a block of inline script metadata.
func scriptPackages(src string) []string {
	_, block, ok := strings.Cut(src, "# /// script")
	if !ok {
		return nil
	}
	block, _, _ = strings.Cut(block, "# ///\n")
	var list []string
	for i, part := range strings.FieldsFunc(block, func(c rune) bool { return c == '"' || c == '\'' }) {
		if i%2 == 1 {
			list = append(list, pydist.Normalize(distName(part)))
		}
	}
	return list
}

// importNames are modules that are not called as the distribution that brings
// them, the commonest first.
var importNames = map[string][]string{
	"PIL": {"pillow"}, "cv2": {"opencv-python", "opencv-python-headless", "opencv-contrib-python"}, "yaml": {"pyyaml"},
	"bs4": {"beautifulsoup4"}, "sklearn": {"scikit-learn"}, "skimage": {"scikit-image"}, "dateutil": {"python-dateutil"},
	"dotenv": {"python-dotenv"}, "docx": {"python-docx"}, "pptx": {"python-pptx"}, "fitz": {"pymupdf"}, "pymupdf4llm": {"pymupdf4llm"},
	"Crypto": {"pycryptodome"}, "Cryptodome": {"pycryptodomex"}, "serial": {"pyserial"}, "usb": {"pyusb"}, "OpenSSL": {"pyopenssl"},
	"jwt": {"pyjwt"}, "git": {"gitpython"}, "github": {"pygithub"}, "gitlab": {"python-gitlab"}, "magic": {"python-magic"}, "psycopg2": {"psycopg2-binary", "psycopg2"},
	"MySQLdb": {"mysqlclient"}, "telegram": {"python-telegram-bot"}, "discord": {"discord-py"}, "attr": {"attrs"},
	"pkg_resources": {"setuptools"}, "mpl_toolkits": {"matplotlib"}, "pylab": {"matplotlib"}, "zmq": {"pyzmq"}, "nacl": {"pynacl"},
	"ldap": {"python-ldap"}, "slugify": {"python-slugify"}, "jose": {"python-jose"}, "socks": {"pysocks"}, "win32api": {"pywin32"},
	"win32com": {"pywin32"}, "win32con": {"pywin32"}, "win32gui": {"pywin32"}, "pythoncom": {"pywin32"}, "gi": {"pygobject"}, "wx": {"wxpython"},
	"speech_recognition": {"speechrecognition"}, "whisper": {"openai-whisper"}, "xdg": {"pyxdg"}, "Xlib": {"python-xlib"}, "kafka": {"kafka-python"},
	"consul": {"python-consul"}, "tlz": {"toolz"}, "faiss": {"faiss-cpu", "faiss-gpu"}, "ffmpeg": {"ffmpeg-python"},
	"barcode": {"python-barcode"}, "Levenshtein": {"levenshtein", "python-levenshtein"}, "umap": {"umap-learn"},
	"igraph": {"python-igraph", "igraph"}, "vertexai": {"google-cloud-aiplatform"}, "googleapiclient": {"google-api-python-client"}, "apiclient": {"google-api-python-client"},
	"osgeo": {"gdal"}, "shapefile": {"pyshp"}, "stdnum": {"python-stdnum"}, "can": {"python-can"}, "dns": {"dnspython"},
	"talib": {"ta-lib"},
}

// dependencies are what some distributions bring along, in normal names, so
// that a skill need not name it.
var dependencies = map[string][]string{
	"seaborn": {"pandas", "numpy", "matplotlib"}, "pandas": {"numpy", "python-dateutil"}, "matplotlib": {"numpy", "pillow", "python-dateutil"},
	"scipy": {"numpy"}, "scikit-learn": {"numpy", "scipy", "joblib"}, "statsmodels": {"numpy", "scipy", "pandas"}, "xgboost": {"numpy", "scipy"},
	"lightgbm": {"numpy", "scipy"}, "geopandas": {"pandas", "numpy", "shapely"}, "yfinance": {"pandas", "numpy", "requests"}, "akshare": {"pandas", "requests"},
	"opencv-python": {"numpy"}, "scikit-image": {"numpy", "scipy", "pillow"}, "tensorflow": {"numpy"}, "transformers": {"numpy", "huggingface-hub"},
	"requests": {"urllib3", "certifi"}, "flask": {"jinja2", "werkzeug", "click"}, "fastapi": {"pydantic", "starlette"}, "openai": {"pydantic", "httpx"},
	"anthropic": {"pydantic", "httpx"}, "boto3": {"botocore"}, "pdfplumber": {"pillow"}, "python-pptx": {"lxml", "pillow"}, "python-docx": {"lxml"}, "moviepy": {"numpy"},
}

// distOf returns the distribution that most likely brings a module.
func distOf(module string) string {
	if list := importNames[module]; list != nil {
		return list[0]
	}
	return pydist.Normalize(module)
}

// brings reports whether one of the distributions, which have normal names,
// brings a module: by its name, or as a part of a namespace.
func brings(dists []string, module string) bool {
	name := pydist.Normalize(module)
	return slices.ContainsFunc(dists, func(dist string) bool {
		return dist == name || dist == "py"+name || dist == "python-"+name || dist == name+"-python" ||
			strings.HasPrefix(dist, name+"-") || slices.Contains(importNames[module], dist)
	})
}

// standardModules are the top-level modules that come with Python 3.8 to 3.14
// on any system.
const standardModules = `
__future__ __main__ abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect
builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser
contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email
encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext
glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache
locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath
nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy
sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants
sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`

var standardSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(standardModules) {
		set[name] = true
	}
	return set
})
