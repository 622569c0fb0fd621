package archtest

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Limits of size; what is allowed beyond them stands in oversize with its
// reason.
const (
	maxLines      = 500
	maxStatements = 60

	// Tables and played sessions are long and shallow.
	maxTestLines      = 800
	maxTestStatements = 100
)

// oversize lists files, and functions as file:name, that may be longer.
var oversize = map[string]string{}

// TestEveryPackageSaysWhatItPromises asks for one package comment in each
// package, in the usual form.
func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	t.Parallel()
	docs, names := map[string]string{}, map[string]string{}
	for _, s := range sources(t) {
		name := s.file.Name.Name
		if strings.HasSuffix(name, "_test") {
			continue
		}
		names[s.room] = name
		if s.file.Doc == nil {
			continue
		}
		if other, twice := docs[s.room]; twice {
			t.Errorf("%s and %s both have a comment of the package; one file says it", other, s.path)
		}
		docs[s.room] = s.path
		want := "Package " + name + " "
		if name == "main" {
			want = "Command "
		}
		if !strings.HasPrefix(s.file.Doc.Text(), want) {
			t.Errorf("%s: the package comment must begin with %q", s.path, want)
		}
	}
	for room, name := range names {
		if docs[room] == "" {
			t.Errorf("package %s in %s has no comment that says what it promises", name, room)
		}
		if name != "main" && name != path.Base(room) {
			t.Errorf("package %s lies in a folder of another name: %s", name, room)
		}
	}
}

// TestPackageNames refuses names that say nothing.
func TestPackageNames(t *testing.T) {
	t.Parallel()
	empty := []string{"util", "utils", "common", "helper", "helpers", "types", "model", "models", "misc", "shared", "base", "lib"}
	for _, s := range sources(t) {
		if name := s.file.Name.Name; slices.Contains(empty, name) {
			t.Errorf("%s: package %s; name it by what it is about", s.path, name)
		}
	}
}

// TestFilesAreShort keeps files readable in one sitting.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		lines, limit := bytes.Count(s.text, []byte("\n")), maxLines
		if s.test {
			limit = maxTestLines
		}
		if lines > limit && !ast.IsGenerated(s.file) && oversize[s.path] == "" {
			t.Errorf("%s has %d lines; at most %d", s.path, lines, limit)
		}
	}
}

// TestFunctionsAreShort counts statements; a function literal counts on its
// own.
func TestFunctionsAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			name, body := "a function literal", (*ast.BlockStmt)(nil)
			switch f := n.(type) {
			case *ast.FuncDecl:
				name, body = f.Name.Name, f.Body
			case *ast.FuncLit:
				body = f.Body
			}
			if body == nil {
				return true
			}
			limit := maxStatements
			if s.test {
				limit = maxTestStatements
			}
			if c := statements(body); c > limit && oversize[s.path+":"+name] == "" {
				t.Errorf("%s: %s has %d statements; at most %d", fset.Position(n.Pos()), name, c, limit)
			}
			return true
		})
	}
}

func statements(body *ast.BlockStmt) int {
	count := 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt, *ast.EmptyStmt:
			return true
		case ast.Stmt:
			count++
		}
		return true
	})
	return count
}

// TestOversizeIsNeeded drops exceptions that nothing needs any more.
func TestOversizeIsNeeded(t *testing.T) {
	t.Parallel()
	for entry := range oversize {
		file, _, _ := strings.Cut(entry, ":")
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			t.Errorf("%s is excepted but not there: %v", entry, err)
		}
	}
}

// knowsDemo lists the rooms that may speak of the sample.
var knowsDemo = []string{"internal/demo", "internal/cli", "workers/script", "internal/archtest", "scripts/pictures"}

// TestNobodyKnowsOfTheDemo keeps the sample an ordinary user of the program:
// no identifier and no text of other rooms names it.
func TestNobodyKnowsOfTheDemo(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`(?i)\bdemo\b`)
	for _, s := range sources(t) {
		if s.test || slices.Contains(knowsDemo, s.room) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			named := false
			switch n := n.(type) {
			case *ast.Ident:
				named = slices.ContainsFunc(words(n.Name), func(w string) bool { return strings.EqualFold(w, "demo") })
			case *ast.BasicLit:
				named = n.Kind == token.STRING && word.MatchString(n.Value)
			}
			if named {
				t.Errorf("%s names the demo", fset.Position(n.Pos()))
			}
			return true
		})
	}
}

// words splits an identifier where its case changes.
func words(ident string) []string {
	var out []string
	start := 0
	runes := []rune(ident)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || runes[i] == '_' || unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
			out = append(out, strings.Trim(string(runes[start:i]), "_"))
			start = i
		}
	}
	return out
}

// TestNothingIsLeftToDo refuses marks of unfinished work: a thing is built or
// absent.
func TestNothingIsLeftToDo(t *testing.T) {
	t.Parallel()
	mark := regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}, "|") + `)\b`)
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				if m := mark.FindString(c.Text); m != "" {
					t.Errorf("%s: a comment says %s", fset.Position(c.Pos()), m)
				}
			}
		}
	}
}

// TestNoMachinePaths keeps the folders of whoever builds this out of the tree.
func TestNoMachinePaths(t *testing.T) {
	t.Parallel()
	var folders []string
	for _, name := range []string{"wo" + "rk", "ro" + "ot", "tm" + "p/br" + "ief", "tm" + "p/ba" + "sh_jobs"} {
		folders = append(folders, "/"+name+"/")
	}
	err := walk(func(p string) error {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		for _, folder := range folders {
			for at := range offsets(text, folder) {
				if at == 0 || strings.IndexByte(" \t\n\"'`=(:", text[at-1]) >= 0 {
					t.Errorf("%s:%d names a path of one machine: %s", p, bytes.Count(text[:at], []byte("\n"))+1, folder)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// offsets are the places of a word in a text.
func offsets(text []byte, word string) func(func(int) bool) {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			next := bytes.Index(text[at:], []byte(word))
			if next < 0 || !yield(at+next) {
				return
			}
			at += next
		}
	}
}
