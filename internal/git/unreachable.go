package git

import (
	"fmt"
	"regexp"
	"sync"
)

// UnreachableError says that a remote cannot be asked at all now: nothing that
// one branch or issue has to do with.
type UnreachableError struct {
	Remote string
	Reason string // git's own words, without any address
	Err    error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the remote %s cannot be reached (%s): %v", e.Remote, e.Reason, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// unreachable are git's words for a remote that does not answer, or does not
// let us in.
var unreachable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)could not resolve (?:host(?:name)?|proxy)|connection (?:refused|reset|timed out|closed)|failed to connect|couldn't connect|` +
		`operation timed out|network is unreachable|no route to host|host key verification failed|permission denied \(publickey|authentication failed|` +
		`could not read (?:username|password)|terminal prompts disabled|returned error: (?:401|403|408|429|5\d\d)|` +
		`does not appear to be a git repository|repository not found|could not read from remote repository|early eof|the remote end hung up|ssl|tls`)
})

// asUnreachable names the failure of a command that asks a remote, where that
// is what it was.
func asUnreachable(remote string, err error) error {
	if err == nil {
		return nil
	}
	if reason := unreachable().FindString(Stderr(err)); reason != "" {
		return &UnreachableError{Remote: remote, Reason: reason, Err: err}
	}
	return err
}
