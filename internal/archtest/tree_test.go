package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/backside4charter/dispatcher"

// root is the top of the module, from this package's folder.
var root = filepath.Join("..", "..")

// source is one Go file of the module, for whatever platform it is built.
type source struct {
	path string // slash-separated, from the module's top
	room string // its folder; "." at the top
	test bool
	file *ast.File
	text []byte
}

// imports are the paths that the file imports.
func (s *source) imports() []string {
	out := make([]string, 0, len(s.file.Imports))
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

// ours turns an import path into a room.
func ours(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

var fset = token.NewFileSet()

var parseTree = sync.OnceValues(func() ([]*source, error) {
	var out []*source
	err := walk(func(p string) error {
		if path.Ext(p) != ".go" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, &source{
			path: p, room: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), file: file, text: text,
		})
		return nil
	})
	return out, err
})

// sources parses every Go file of the module once.
func sources(t *testing.T) []*source {
	t.Helper()
	all, err := parseTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no Go file was found")
	}
	return all
}

// walk visits every file of the module that belongs to it: not what tools put
// there, not other modules, not test data.
func walk(visit func(p string) error) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !d.IsDir() {
			return visit(rel)
		}
		switch d.Name() {
		case ".git", ".cache", ".claude", ".dispatcher", ".secrets", "dist", "testdata", "node_modules":
			return fs.SkipDir
		}
		if rel != "." {
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		return nil
	})
}

// matches says whether a room is named by a pattern of the table.
func matches(pattern, room string) bool {
	if pattern == "..." {
		return true
	}
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return room == tree || strings.HasPrefix(room, tree+"/")
	}
	ok, err := path.Match(pattern, room)
	return ok && err == nil
}

func anyMatches(patterns []string, room string) bool {
	for _, p := range patterns {
		if matches(p, room) {
			return true
		}
	}
	return false
}

// roomOf finds a room's entry: its own, else that of a pattern.
func roomOf(name string) (room, bool) {
	if r, ok := rooms[name]; ok {
		return r, true
	}
	for pattern, r := range rooms {
		if matches(pattern, name) {
			return r, true
		}
	}
	return room{}, false
}
