package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxDepth is deeper than any configuration nests.
const maxDepth = 64

// node is one JSON value with where it begins, so that a fault can be shown at
// its line and column. Duplicate keys are kept.
type node struct {
	at      int // byte offset
	value   any // string, json.Number, bool or nil, for a scalar
	members []member
	elems   []*node
	object  bool
	array   bool
}

type member struct {
	key string
	at  int
	val *node
}

// kind is the value's type in a person's words.
func (n *node) kind() string {
	switch {
	case n.object:
		return "an object"
	case n.array:
		return "a list"
	}
	switch n.value.(type) {
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	}
	return "null"
}

// syntaxError is a fault of the JSON itself.
type syntaxError struct {
	at  int
	msg string
}

func (e *syntaxError) Error() string { return e.msg }

// parse reads one JSON value, without a byte order mark before it.
func parse(data []byte) (*node, error) {
	if i := invalidUTF8(data); i >= 0 {
		return nil, &syntaxError{at: i, msg: "not UTF-8 text"}
	}
	var whole any
	if err := json.Unmarshal(data, &whole); err != nil {
		if syn, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, &syntaxError{at: max(int(syn.Offset)-1, 0), msg: "not JSON: " + syn.Error()}
		}
		// A number that no float holds is still JSON; decode says where it is.
		if _, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok {
			return nil, &syntaxError{msg: "not JSON: " + err.Error()}
		}
	}
	p := &parser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	return p.read(0)
}

type parser struct {
	data []byte
	dec  *json.Decoder
}

// token answers the next token and the offset of its first byte.
func (p *parser) token() (json.Token, int, error) {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	t, err := p.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, at, &syntaxError{at: at, msg: "not JSON: " + err.Error()}
	}
	return t, at, nil
}

func (p *parser) read(depth int) (*node, error) {
	t, at, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.readFrom(t, at, depth)
}

func (p *parser) readFrom(t json.Token, at, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &syntaxError{at: at, msg: fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	switch t {
	case json.Delim('{'):
		return p.readObject(at, depth)
	case json.Delim('['):
		return p.readArray(at, depth)
	}
	return &node{at: at, value: t}, nil
}

func (p *parser) readObject(at, depth int) (*node, error) {
	n := &node{at: at, object: true}
	for {
		t, keyAt, err := p.token()
		if err != nil {
			return nil, err
		}
		if t == json.Delim('}') {
			return n, nil
		}
		key, ok := t.(string)
		if !ok {
			return nil, &syntaxError{at: keyAt, msg: "not JSON: a key must be a text"}
		}
		v, err := p.read(depth + 1)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, member{key: key, at: keyAt, val: v})
	}
}

func (p *parser) readArray(at, depth int) (*node, error) {
	n := &node{at: at, array: true}
	for {
		t, elemAt, err := p.token()
		if err != nil {
			return nil, err
		}
		if t == json.Delim(']') {
			return n, nil
		}
		v, err := p.readFrom(t, elemAt, depth+1)
		if err != nil {
			return nil, err
		}
		n.elems = append(n.elems, v)
	}
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position turns a byte offset into a 1-based line and column, the column in
// characters.
func position(data []byte, at int) (line, column int) {
	at = min(at, len(data))
	before := data[:at]
	line = bytes.Count(before, []byte("\n")) + 1
	start := bytes.LastIndexByte(before, '\n') + 1
	return line, utf8.RuneCount(before[start:]) + 1
}
