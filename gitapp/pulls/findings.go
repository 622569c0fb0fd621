package pulls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// maxFindings bounds one review.
const maxFindings = 500

// ParseFindings reads the findings of a review, a JSON array, strictly: every
// violation is named with its place.
//
//	[{"path": "a.go", "line": 3, "severity": "blocking", "body": "..."}]
func ParseFindings(data []byte) ([]board.Finding, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var findings []board.Finding
	if err := dec.Decode(&findings); err != nil {
		return nil, fmt.Errorf("findings: %w: a JSON array like [{\"path\": \"a.go\", \"line\": 3, \"severity\": \"blocking\", \"body\": \"why\"}] is expected", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("findings: there is more after the JSON array")
	}
	if len(findings) > maxFindings {
		return nil, fmt.Errorf("findings: %d are more than the %d that one review may have", len(findings), maxFindings)
	}
	var errs []error
	for i, f := range findings {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("findings[%d].%s", i, fmt.Sprintf(format, args...)))
		}
		if f.Path == "" || strings.HasPrefix(f.Path, "/") || strings.ContainsRune(f.Path, 0) {
			bad("path: %.80q is no path relative to the repository", f.Path)
		}
		if f.Line < 0 {
			bad("line: %d: lines count from 1, 0 is the whole file", f.Line)
		}
		if f.Severity != board.SeverityBlocking && f.Severity != board.SeverityNit {
			bad("severity: %.40q: blocking or nit", f.Severity)
		}
		if strings.TrimSpace(f.Body) == "" {
			bad("body: it is empty")
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return findings, nil
}
