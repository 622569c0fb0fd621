package github

import (
	"fmt"
	"slices"
	"strings"
)

// rollup is all checks of a commit together; null where there are none. An App
// that may read neither kind of them is refused it, and one that may read one
// kind each of the other.
func (s *Server) rollup(r *Repo, commit string) (any, error) {
	checks := slices.DeleteFunc(slices.Clone(r.checks[commit]), func(c Check) bool { return c.Unlisted })
	if len(checks) == 0 {
		return nil, nil
	}
	if !s.reader.may("checks") && !s.reader.may("statuses") {
		return nil, errRefused
	}
	state := "SUCCESS"
	var list []typed
	for _, c := range checks {
		o := c.object()
		if o.name == "CheckRun" && !s.reader.may("checks") || o.name == "StatusContext" && !s.reader.may("statuses") {
			o = typed{name: notAccessible}
		}
		list = append(list, o)
		switch {
		case c.failed():
			state = "FAILURE"
		case c.pending() && state != "FAILURE":
			state = "PENDING"
		}
	}
	return obj(func(field string, args map[string]any) (any, error) {
		switch field {
		case "state":
			return state, nil
		case "contexts":
			return connection(list, args), nil
		}
		return nil, fmt.Errorf("the fake has no StatusCheckRollup.%s", field)
	}), nil
}

func (c Check) pending() bool {
	return c.Status == "pending" || c.Status == "" && !c.Done
}

func (c Check) failed() bool {
	return c.Status == "failure" || c.Status == "error" ||
		c.Status == "" && c.Done && !slices.Contains([]string{"success", "neutral", "skipped"}, c.Conclusion)
}

func (c Check) object() typed {
	if c.Status != "" {
		return typed{"StatusContext", fields("StatusContext", map[string]any{
			"context": c.Name, "state": strings.ToUpper(c.Status), "targetUrl": nil, "createdAt": "2026-08-27T14:05:00Z", "isRequired": false,
		})}
	}
	status, conclusion := "IN_PROGRESS", any(nil)
	if c.Done {
		status = "COMPLETED"
		if c.Conclusion != "" {
			conclusion = strings.ToUpper(c.Conclusion)
		}
	}
	return typed{"CheckRun", fields("CheckRun", map[string]any{
		"name": c.Name, "status": status, "conclusion": conclusion, "startedAt": nil, "completedAt": nil, "detailsUrl": nil, "isRequired": false,
		"checkSuite": fields("CheckSuite", map[string]any{"workflowRun": nil}),
	})}
}
