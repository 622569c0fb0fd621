package linear

import (
	"errors"
	"net/http"
	"strings"
)

// fault is an error in the shape in which Linear answers one.
type fault struct {
	message, typ, code, shown string
	status                    int // HTTP
}

func (f *fault) Error() string { return f.message }

func (f *fault) json() map[string]any {
	ext := map[string]any{"type": f.typ, "code": f.code, "statusCode": f.status, "userError": f.shown != ""}
	if f.shown != "" {
		ext["userPresentableMessage"] = f.shown
	}
	return map[string]any{"message": f.message, "extensions": ext}
}

func notFound(entity string) error {
	return &fault{
		message: "Entity not found: " + entity, typ: "invalid input", code: "INPUT_ERROR", status: http.StatusBadRequest,
		shown: "Could not find referenced " + entity + ".",
	}
}

func invalid(message, shown string) error {
	return &fault{message: message, typ: "invalid input", code: "INPUT_ERROR", status: http.StatusBadRequest, shown: shown}
}

func forbidden(shown string) error {
	return &fault{message: "Forbidden", typ: "forbidden", code: "FORBIDDEN", status: http.StatusForbidden, shown: shown}
}

var errKey = &fault{
	message: "Authentication required, not authenticated", typ: "authentication error", code: "AUTHENTICATION_ERROR",
	status: http.StatusUnauthorized, shown: "You need to authenticate to access this operation.",
}

var errLock = &fault{message: "Lock timeout", typ: "lock timeout", code: "LOCK_TIMEOUT", status: http.StatusConflict}

// errorJSON is any error as an entry of `errors`, with its path.
func errorJSON(err error) map[string]any {
	f, ok := errors.AsType[*fault](err)
	if !ok {
		return map[string]any{
			"message":    err.Error(),
			"extensions": map[string]any{"type": "graphql error", "code": "GRAPHQL_VALIDATION_FAILED", "statusCode": http.StatusBadRequest},
		}
	}
	out := f.json()
	if path, _, ok := strings.Cut(err.Error(), ": "); ok && err.Error() != f.message {
		var list []any
		for part := range strings.SplitSeq(path, "/") {
			list = append(list, part)
		}
		out["path"] = list
	}
	return out
}
