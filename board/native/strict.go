package native

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// knownKeys refuses a document with a key that nothing reads, and names the
// nearest one that is read: what was written there would be gone. Names count
// as encoding/json counts them, in any case.
func knownKeys(data []byte, into any) error {
	var raw any
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	return unknownKey("", raw, reflect.TypeOf(into))
}

func unknownKey(at string, v any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return nil
		}
		for n, e := range v {
			if err := unknownKey(place(at, n, e), e, t.Elem()); err != nil {
				return err
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Struct {
			return unknownField(at, v, t)
		}
	}
	return nil
}

func unknownField(at string, v map[string]any, t reflect.Type) error {
	types := map[string]reflect.Type{}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" {
			types[strings.ToLower(name)], names = f.Type, append(names, name)
		}
	}
	if t == reflect.TypeFor[record]() {
		types[sumKey] = reflect.TypeFor[string]() // an issue's file, put in as it stands
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		into, ok := types[strings.ToLower(key)]
		if !ok {
			return fmt.Errorf("%w: %s%q is no key of a board; %s", board.ErrForbidden, where(at), key, meant(key, names))
		}
		next := key
		if at != "" {
			next = at + "." + key
		}
		if err := unknownKey(next, v[key], into); err != nil {
			return err
		}
	}
	return nil
}

// place names an entry of a list: an issue by its ref.
func place(at string, n int, e any) string {
	if m, ok := e.(map[string]any); ok {
		if ref, ok := m["ref"].(string); ok && ref != "" {
			return board.OneLine(ref)
		}
	}
	return fmt.Sprintf("%s[%d]", at, n)
}

func where(at string) string {
	if at == "" {
		return ""
	}
	return at + ": "
}

func meant(key string, names []string) string {
	if k, ok := board.Nearest(key, names); ok {
		return fmt.Sprintf("did you mean %q?", k)
	}
	return "known here: " + strings.Join(names, ", ")
}
