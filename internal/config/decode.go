package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// decoder fills a Config from a node tree and collects every fault on the way.
// It knows the field names by the same json tags that the schema is made from;
// names match exactly, in case too.
type decoder struct {
	data []byte
	// at holds the offset of every value that the file states, by path, so
	// that a rule can tell an absent field from a zero and say where it is.
	at map[string]int
	// bad holds the paths whose value could not be read: no rule asks further.
	bad        map[string]bool
	violations []Violation
	top        reflect.Type // of the whole file
}

func newDecoder(data []byte, top reflect.Type) *decoder {
	return &decoder{data: data, at: map[string]int{}, bad: map[string]bool{}, top: top}
}

// maxViolations is how many faults are listed of a file that is nothing like a
// configuration.
const maxViolations = 200

func (d *decoder) full() bool { return len(d.violations) > maxViolations }

// add records a fault; at < 0 says that it has no place in the file.
func (d *decoder) add(at int, path, hint, format string, args ...any) {
	switch {
	case d.full():
		return
	case len(d.violations) == maxViolations:
		at, path, hint, format, args = -1, "", "", "has more faults than these %d", []any{maxViolations}
	}
	v := Violation{Path: path, Hint: hint, Message: fmt.Sprintf(format, args...)}
	if at >= 0 {
		v.Line, v.Column = position(d.data, at)
	}
	d.violations = append(d.violations, v)
}

// fault records a fault of the value at path, wherever that stands in the file.
func (d *decoder) fault(path, hint, format string, args ...any) {
	at, ok := d.at[path]
	if !ok {
		at = -1
	}
	d.add(at, path, hint, format, args...)
}

// stated says whether the file gives a value at path.
func (d *decoder) stated(path string) bool {
	_, ok := d.at[path]
	return ok
}

func (d *decoder) mismatch(n *node, path, want string) {
	d.bad[path] = true
	d.add(n.at, path, "", "must be %s, is %s", want, n.kind())
}

func (d *decoder) set(v reflect.Value, n *node, path string) {
	d.at[path] = n.at
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.set(v.Elem(), n, path)
	case reflect.Struct:
		d.setStruct(v, n, path)
	case reflect.Map:
		d.setMap(v, n, path)
	case reflect.Slice:
		d.setSlice(v, n, path)
	case reflect.String:
		s, ok := n.value.(string)
		if !ok {
			d.mismatch(n, path, "a text")
			return
		}
		v.SetString(s)
	case reflect.Int, reflect.Int64:
		d.setInt(v, n, path)
	case reflect.Float64:
		d.setFloat(v, n, path)
	case reflect.Bool:
		b, ok := n.value.(bool)
		if !ok {
			d.mismatch(n, path, "true or false")
			return
		}
		v.SetBool(b)
	default:
		panic(fmt.Sprintf("config: the struct has a field of kind %s that the decoder does not know", v.Kind()))
	}
}

func (d *decoder) setStruct(v reflect.Value, n *node, path string) {
	if !n.object {
		d.mismatch(n, path, "an object")
		return
	}
	fields := fieldsOf(v.Type())
	for _, m := range d.unique(n, path) {
		i, ok := fields[m.key]
		if !ok && d.full() {
			return
		}
		if !ok {
			d.add(m.at, join(path, m.key), d.meantKey(m.key, path, names(fields)), "unknown key")
			continue
		}
		d.set(v.Field(i), m.val, join(path, m.key))
	}
}

func (d *decoder) setMap(v reflect.Value, n *node, path string) {
	if !n.object {
		d.mismatch(n, path, "an object")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, m := range d.unique(n, path) {
		e := reflect.New(v.Type().Elem()).Elem()
		d.set(e, m.val, join(path, m.key))
		v.SetMapIndex(reflect.ValueOf(m.key), e)
	}
}

func (d *decoder) setSlice(v reflect.Value, n *node, path string) {
	if !n.array {
		d.mismatch(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.elems), len(n.elems)))
	for i, e := range n.elems {
		d.set(v.Index(i), e, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (d *decoder) setInt(v reflect.Value, n *node, path string) {
	num, ok := n.value.(json.Number)
	if !ok {
		d.mismatch(n, path, "a whole number")
		return
	}
	i, err := strconv.ParseInt(num.String(), 10, v.Type().Bits())
	if err != nil {
		d.bad[path] = true
		d.add(n.at, path, "", "must be a whole number, is %s", num)
		return
	}
	v.SetInt(i)
}

func (d *decoder) setFloat(v reflect.Value, n *node, path string) {
	num, ok := n.value.(json.Number)
	if !ok {
		d.mismatch(n, path, "a number")
		return
	}
	f, err := strconv.ParseFloat(num.String(), 64)
	if err != nil {
		d.bad[path] = true
		d.add(n.at, path, "", "is out of range: %s", num)
		return
	}
	v.SetFloat(f)
}

// unique answers the members of an object without the repeated ones, each of
// which is a violation.
func (d *decoder) unique(n *node, path string) []member {
	seen := map[string]bool{}
	out := make([]member, 0, len(n.members))
	for _, m := range n.members {
		if seen[m.key] {
			d.add(m.at, join(path, m.key), "keep one", "the key stands here twice")
			continue
		}
		seen[m.key] = true
		out = append(out, m)
	}
	return out
}

// meantKey is the way out of an unknown key: a sibling with a similar name, or
// the same name elsewhere in the file, or all siblings.
func (d *decoder) meantKey(key, path string, siblings []string) string {
	if _, ok := board.Nearest(key, siblings); !ok {
		if p, found := elsewhere(d.top, key); found && p != join(path, key) {
			return `did you mean "` + p + `"?`
		}
	}
	return meant(key, siblings)
}

// elsewhere is the path of a field of this name in some section.
func elsewhere(top reflect.Type, key string) (string, bool) {
	for _, section := range slices.Sorted(maps.Keys(fieldsOf(top))) {
		t := top.Field(fieldsOf(top)[section]).Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fieldsOf(t))) {
			if strings.EqualFold(name, key) {
				return section + "." + name, true
			}
		}
	}
	return "", false
}

// fieldsOf maps the JSON names of a struct to its field indexes.
func fieldsOf(t reflect.Type) map[string]int {
	out := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out[name] = i
		}
	}
	return out
}

func names(fields map[string]int) []string { return slices.Sorted(maps.Keys(fields)) }

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
