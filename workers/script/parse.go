package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// FaultsError is everything that is wrong with a script, each fault with its
// place (`issues.DSP-1.developer[0].steps[2].run`).
type FaultsError struct{ Faults []string }

func (e *FaultsError) Error() string {
	if len(e.Faults) == 1 {
		return e.Faults[0]
	}
	return fmt.Sprintf("%d faults:\n  %s", len(e.Faults), strings.Join(e.Faults, "\n  "))
}

// Parse reads a script strictly: unknown and repeated keys, wrong types,
// unknown conditions and variables, and tries that do not end are faults.
func Parse(data []byte) (*File, error) {
	p := &parser{}
	tree, err := p.tree(data)
	if err != nil {
		return nil, err
	}
	p.shape("", tree, reflect.TypeFor[File]())
	if len(p.faults) > 0 {
		return nil, &FaultsError{p.faults}
	}
	var f File
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	p.file(&f)
	if len(p.faults) > 0 {
		return nil, &FaultsError{p.faults}
	}
	return &f, nil
}

type parser struct{ faults []string }

func (p *parser) fault(place, format string, args ...any) {
	if place == "" {
		place = "the file"
	}
	p.faults = append(p.faults, strings.TrimPrefix(place, ".")+": "+fmt.Sprintf(format, args...))
}

// tree reads the text into maps and slices and notes repeated keys.
func (p *parser) tree(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	v, err := p.value(d, "")
	if err == nil {
		if _, more := d.Token(); more == nil {
			err = errors.New("there is text after the end")
		}
	}
	if err != nil {
		line := 1 + bytes.Count(data[:min(int(d.InputOffset()), len(data))], []byte("\n"))
		return nil, fmt.Errorf("line %d: not valid JSON: %w", line, err)
	}
	return v, nil
}

func (p *parser) value(d *json.Decoder, place string) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err //nolint:wrapcheck // tree says where
	}
	switch tok {
	case json.Delim('{'):
		obj := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err //nolint:wrapcheck // tree says where
			}
			name, _ := key.(string)
			at := place + "." + name
			if _, twice := obj[name]; twice {
				p.fault(at, "is there twice")
			}
			if obj[name], err = p.value(d, at); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return obj, err //nolint:wrapcheck // tree says where
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := p.value(d, fmt.Sprintf("%s[%d]", place, len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err //nolint:wrapcheck // tree says where
	}
	return tok, nil
}

// shape holds the tree against a type: names and JSON types only.
func (p *parser) shape(place string, v any, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() { //nolint:exhaustive // a script has no other kinds
	case reflect.Struct:
		obj, ok := v.(map[string]any)
		if !ok {
			p.fault(place, "must be an object")
			return
		}
		fields := fieldsOf(t)
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			ft, known := fields[name]
			if !known {
				p.fault(place+"."+name, "unknown; known are %s", strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
				continue
			}
			p.shape(place+"."+name, obj[name], ft)
		}
	case reflect.Map:
		obj, ok := v.(map[string]any)
		if !ok {
			p.fault(place, "must be an object")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			p.shape(place+"."+name, obj[name], t.Elem())
		}
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			p.fault(place, "must be a list")
			return
		}
		for i, e := range list {
			p.shape(fmt.Sprintf("%s[%d]", place, i), e, t.Elem())
		}
	default:
		p.scalar(place, v, t)
	}
}

func (p *parser) scalar(place string, v any, t reflect.Type) {
	var ok bool
	want := "a text"
	switch t.Kind() { //nolint:exhaustive // a script has no other kinds
	case reflect.String:
		_, ok = v.(string)
	case reflect.Bool:
		_, ok = v.(bool)
		want = "true or false"
	case reflect.Int:
		n, is := v.(float64)
		ok = is && n == float64(int(n))
		want = "a whole number"
	case reflect.Float64:
		_, ok = v.(float64)
		want = "a number"
	}
	if !ok {
		p.fault(place, "must be %s", want)
	}
}

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = f.Type
	}
	return out
}

// file checks what the texts mean.
func (p *parser) file(f *File) {
	if f.Version != Version {
		p.fault("version", "is %d; this program reads version %d", f.Version, Version)
	}
	if f.Speed < 0 {
		p.fault("speed", "must not be negative")
	}
	if f.TurnCostUSD < 0 {
		p.fault("turnCostUSD", "must not be negative")
	}
	for _, k := range board.Kinds() {
		if len(f.Default[k]) == 0 {
			p.fault("default."+string(k), "is required")
		}
	}
	p.kinds("default", f.Default)
	seen := map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(f.Issues)) {
		if other, twice := seen[strings.ToLower(ref)]; twice {
			p.fault("issues."+ref, "is the same issue as %s", other)
		}
		seen[strings.ToLower(ref)] = ref
		p.kinds("issues."+ref, f.Issues[ref])
	}
}
