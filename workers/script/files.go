package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// open is the working directory as the only place where files are written:
// links that lead out of it are refused by the system.
func (t *turn) open(ctx context.Context, name string) (*os.Root, string, error) {
	name, err := t.expand(ctx, name)
	if err != nil {
		return nil, "", err
	}
	name = path.Clean(name)
	first, _, _ := strings.Cut(name, "/")
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.EqualFold(first, ".git") {
		return nil, "", failure{fmt.Sprintf("%q is not a file of the working directory", name)}
	}
	root, err := os.OpenRoot(t.opt.Dir)
	if err != nil {
		return nil, "", failure{fmt.Sprintf("open the working directory: %v", err)}
	}
	return root, filepath.FromSlash(name), nil
}

func (t *turn) write(ctx context.Context, c *Content) error {
	root, name, err := t.open(ctx, c.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	content, err := t.expand(ctx, c.Content)
	if err != nil {
		return err
	}
	full := filepath.Join(t.opt.Dir, name)
	res, err := t.call(ctx, "Write", object{"file_path": full, "content": content}, func(context.Context) tool {
		old, readErr := root.ReadFile(name)
		if err := put(root, name, content, c.Executable); err != nil {
			return toolError(err)
		}
		kind, text, was := "create", "File created successfully at: "+full, any(nil)
		if readErr == nil {
			kind, text, was = "update", "The file "+full+" has been updated successfully.", string(old)
		}
		return tool{text: text, detail: object{
			"type": kind, "filePath": full, "content": content,
			"structuredPatch": []string{}, "originalFile": was, "userModified": false,
		}}
	})
	return t.edited(res, err)
}

func put(root *os.Root, name, content string, executable bool) error {
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := root.WriteFile(name, []byte(content), 0o666); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if executable {
		if err := root.Chmod(name, 0o755); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func toolError(err error) tool {
	return tool{text: "<tool_use_error>" + err.Error() + "</tool_use_error>", failed: true, detail: "Error: " + err.Error()}
}

func (t *turn) edited(res tool, err error) error {
	if err != nil {
		return err
	}
	t.fold()
	if res.failed {
		return failure{fmt.Sprint(res.detail)}
	}
	return nil
}

// append is an edit of the last line: so the call shows what really changes.
func (t *turn) append(ctx context.Context, c *Content) error {
	root, name, err := t.open(ctx, c.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	content, err := t.expand(ctx, c.Content)
	if err != nil {
		return err
	}
	old, err := root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.write(ctx, &Content{Path: c.Path, Content: c.Content, Executable: c.Executable})
	case err != nil:
		return failure{fmt.Sprintf("append to %s: %v", name, err)}
	case strings.Contains(string(old), content):
		return nil
	}
	lines := strings.SplitAfter(string(old), "\n")
	last := lines[len(lines)-1]
	if last == "" && len(lines) > 1 {
		last = lines[len(lines)-2]
	}
	return t.edit(ctx, root, name, string(old), string(old)+content, last, last+content)
}

func (t *turn) replace(ctx context.Context, r *Replace) error {
	root, name, err := t.open(ctx, r.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	pair, err := t.expandAll(ctx, []string{r.Old, r.New})
	if err != nil {
		return err
	}
	old, err := root.ReadFile(name)
	if err != nil {
		return failure{fmt.Sprintf("change %s: %v", name, err)}
	}
	if pair[1] != "" && strings.Contains(string(old), pair[1]) && !strings.Contains(strings.ReplaceAll(string(old), pair[1], ""), pair[0]) {
		return nil // an earlier try did it
	}
	return t.edit(ctx, root, name, string(old), strings.Replace(string(old), pair[0], pair[1], 1), pair[0], pair[1])
}

func (t *turn) edit(ctx context.Context, root *os.Root, name, before, after, old, repl string) error {
	full := filepath.Join(t.opt.Dir, name)
	in := object{"file_path": full, "old_string": old, "new_string": repl, "replace_all": false}
	res, err := t.call(ctx, "Edit", in, func(context.Context) tool {
		if !strings.Contains(before, old) {
			return toolError(fmt.Errorf("String to replace not found in file.\nString: %s", old)) //nolint:staticcheck // the real command's words
		}
		if err := root.WriteFile(name, []byte(after), 0o666); err != nil {
			return toolError(err)
		}
		return tool{text: "The file " + full + " has been updated successfully.", detail: object{
			"filePath": full, "oldString": old, "newString": repl, "originalFile": before,
			"structuredPatch": []string{}, "userModified": false, "replaceAll": false,
		}}
	})
	return t.edited(res, err)
}
