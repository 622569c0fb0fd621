package linear

import (
	"regexp"
	"strings"
	"sync"
)

// localHost is the host of links to pull requests that are records of this
// machine: a name that can lead nowhere.
const localHost = "https://dispatcher.invalid/"

var (
	localName  = regexp.MustCompile(`^#?([1-9][0-9]{0,8})$`)
	githubPull = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^https://[^/]+/([^/]+/[^/]+)/pull/([1-9][0-9]{0,8})(?:[/?#].*)?$`)
	})
)

// PullURL is the link that stands for a pull request on an issue: a URL is
// itself, a number is one of the repository's.
func PullURL(repository, name string, local bool) (string, bool) {
	if m := localName.FindStringSubmatch(name); m != nil {
		host := "https://github.com/"
		if local {
			host = localHost
		}
		return host + repository + "/pull/" + m[1], true
	}
	if !strings.HasPrefix(name, "https://") && !strings.HasPrefix(name, "http://") || strings.ContainsAny(name, " \t\r\n\"<>") {
		return "", false
	}
	return name, true
}

// pullName is what the rest of the program calls the pull request that a link
// leads to; other links are none.
func (b *Board) pullName(url string) (string, bool) {
	m := githubPull().FindStringSubmatch(url)
	if m == nil {
		return "", false
	}
	if strings.HasPrefix(url, localHost) {
		return "#" + m[2], strings.EqualFold(m[1], b.o.Repository)
	}
	return url, true
}
