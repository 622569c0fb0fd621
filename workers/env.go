package workers

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// EnvOptions are what a worker's environment is made from.
type EnvOptions struct {
	Environ  []string // the dispatcher's own environment
	BinDir   string   // folder of our program's lasting copy; comes first on PATH
	Config   string   // the main checkout's configuration file
	StateDir string   // the main checkout's state folder

	Kind    board.Kind
	Run     string
	Ref     board.Ref
	Epoch   int64
	Attempt int

	// Names are variables that the agent's profile lets through besides; a * at
	// the end stands for any rest.
	Names []string
	// Allow lets more variables through, by name; get reads the dispatcher's own.
	Allow []func(name string, get func(string) string) bool
	// Withhold are variables that nothing lets through, by name.
	Withhold []string
	// Set is added last and wins: NAME=value.
	Set []string
}

// allowed are the variables that every worker gets: where things are, how text
// is written, how the network is reached, and where toolchains lie. Nothing
// that names a credential of the owner is among them.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "IS_SANDBOX",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	"SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSH_COMMAND", // without them a push over ssh cannot work
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"GOPATH", "GOBIN", "GOCACHE", "GOMODCACHE", "GOROOT", "GOFLAGS", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOSUMDB",
	"GONOPROXY", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "GRADLE_USER_HOME", "MAVEN_HOME", "ANDROID_HOME",
	"NVM_DIR", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "NODE_PATH", "PYENV_ROOT", "VIRTUAL_ENV",
	"UV_CACHE_DIR", "RBENV_ROOT", "GEM_HOME", "DOTNET_ROOT", "MISE_DATA_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "NIX_PATH",
	"DISPATCHER_STATE_DIR", "DISPATCHER_BOARD_PLATFORM",
}

// allowedWindows are what programs cannot start without there.
var allowedWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "USERDOMAIN",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
	"COMMONPROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS", "PSMODULEPATH",
}

// Env is a worker's environment: an allow-list of the dispatcher's own, our
// program first on PATH, and who the worker is (design.md, section 7). No
// token of the owner's is in it unless Allow or Set puts it there.
func Env(o EnvOptions) []string {
	values := map[string]string{}
	get := func(name string) string { return values[name] }
	for _, kv := range o.Environ {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			values[name] = value
		}
	}
	out := map[string]string{}
	for name, value := range values {
		if isWithheld(name, o.Withhold) {
			continue
		}
		if isAllowed(name) || isNamed(name, o.Names) || slices.ContainsFunc(o.Allow, func(f func(string, func(string) string) bool) bool { return f(name, get) }) {
			out[name] = value
		}
	}
	if out["TERM"] == "" {
		out["TERM"] = "dumb"
	}
	if o.BinDir != "" {
		path := pathName(out)
		out[path] = strings.TrimSuffix(o.BinDir+string(os.PathListSeparator)+out[path], string(os.PathListSeparator))
	}
	// A folder that is not there holds no login: gh fails closed where a command
	// is given no token of ours.
	out["GH_CONFIG_DIR"] = filepath.Join(o.BinDir, "no-gh-login")
	out["GH_PROMPT_DISABLED"] = "1"
	out["GH_NO_UPDATE_NOTIFIER"] = "1"
	out["GIT_TERMINAL_PROMPT"] = "0" // a question that nobody sees would hang the worker
	out["DISPATCHER_WORKER"] = string(o.Kind)
	out[EnvRun] = o.Run
	out["DISPATCHER_REF"] = string(o.Ref)
	out["DISPATCHER_EPOCH"] = strconv.FormatInt(o.Epoch, 10)
	out["DISPATCHER_ATTEMPT"] = strconv.Itoa(max(1, o.Attempt))
	out["DISPATCHER_CONFIG"] = o.Config
	if o.StateDir != "" {
		out["DISPATCHER_STATE_DIR"] = o.StateDir
	}
	for _, kv := range o.Set {
		if name, value, ok := strings.Cut(kv, "="); ok {
			out[name] = value
		}
	}
	list := make([]string, 0, len(out))
	for name, value := range out {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

func isAllowed(name string) bool {
	if runtime.GOOS == "windows" {
		upper := strings.ToUpper(name)
		return slices.Contains(allowed, upper) || slices.Contains(allowedWindows, upper)
	}
	return slices.Contains(allowed, name) || strings.HasPrefix(name, "LC_")
}

func isWithheld(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)
	})
}

// isNamed says whether a profile names the variable.
func isNamed(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		begin, open := strings.CutSuffix(n, "*")
		return name == n || open && strings.HasPrefix(name, begin)
	})
}

// pathName is PATH as this environment spells it; Windows says Path.
func pathName(env map[string]string) string {
	if runtime.GOOS == "windows" {
		for name := range env {
			if strings.EqualFold(name, "PATH") {
				return name
			}
		}
	}
	return "PATH"
}
