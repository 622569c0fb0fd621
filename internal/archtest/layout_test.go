package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// layoutPage leads a newcomer through the code.
const layoutPage = "docs/project-layout.md"

var (
	inCode = regexp.MustCompile("`([^`\n]+)`")
	goName = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
)

// TestLayoutPageNamesWhatIsThere: every path and every Go name on the page
// exists. Commands, and paths of what the program writes, are none.
func TestLayoutPageNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, layoutPage))
	if err != nil {
		t.Fatal(err)
	}
	names := declared(sources(t))
	checked := 0
	for _, m := range inCode.FindAllStringSubmatch(string(text), -1) {
		word := m[1]
		switch {
		case strings.Contains(word, " "), strings.HasPrefix(word, "."), word == "code", word == "dispatcher.config.json":
			continue
		case names[word]:
		case strings.Contains(word, "/") || !goName.MatchString(word) || isThere(word):
			if !isThere(word) {
				t.Errorf("%s names the path %s, which is not there", layoutPage, word)
			}
		default:
			t.Errorf("%s names %s, which is declared nowhere", layoutPage, word)
		}
		checked++
	}
	if checked < 50 {
		t.Errorf("only %d names were found; is the page still what it was?", checked)
	}
	for _, wrong := range []string{"cli.Rum", "Policy.fly", "firing.nothing"} {
		if names[wrong] {
			t.Errorf("%s counts as declared", wrong)
		}
	}
}

func isThere(name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// declared are the names of production code: alone, after their package, and
// methods after their type.
func declared(all []*source) map[string]bool {
	names := map[string]bool{}
	for _, s := range all {
		if s.test {
			continue
		}
		pkg := s.file.Name.Name
		add := func(name string) { names[name], names[pkg+"."+name] = true, true }
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if on := receiver(d); on != "" {
					add(on + "." + d.Name.Name)
				} else {
					add(d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(spec.Name.Name)
					case *ast.ValueSpec:
						for _, n := range spec.Names {
							add(n.Name)
						}
					}
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	on := d.Recv.List[0].Type
	if star, ok := on.(*ast.StarExpr); ok {
		on = star.X
	}
	if id, ok := on.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
