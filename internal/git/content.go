package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// maxObjectList bounds the list of a repository's objects, in bytes.
const maxObjectList = 256 << 20

// Ignored tells which of the paths, relative to dir, the ignore rules of dir
// cover; the files need not exist there.
func (g *Git) Ignored(ctx context.Context, dir string, paths []string) (map[string]bool, error) {
	ignored := map[string]bool{}
	if len(paths) == 0 {
		return ignored, nil
	}
	out, err := g.exec(ctx, call{
		dir: dir, args: []string{"check-ignore", "--no-index", "-z", "--stdin"},
		stdin: []byte(strings.Join(paths, "\x00") + "\x00"),
	})
	if code, ok := exitCode(err); err != nil && (!ok || code != 1) {
		return nil, fmt.Errorf("ask which files are ignored: %w", err)
	}
	for _, p := range splitZ(out) {
		ignored[p] = true
	}
	return ignored, nil
}

// HashFiles answers the ids that the files would have as blobs of the
// repository at dir, filters applied. A path may not contain a newline.
func (g *Git) HashFiles(ctx context.Context, dir string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := g.exec(ctx, call{
		dir: dir, args: []string{"hash-object", "--stdin-paths"},
		stdin: []byte(strings.Join(paths, "\n") + "\n"),
	})
	if err != nil {
		return nil, fmt.Errorf("hash files: %w", err)
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(paths) {
		return nil, fmt.Errorf("hash files: %d answers for %d files", len(ids), len(paths))
	}
	return ids, nil
}

// HashBytes is the id that data would have as a blob, no filter applied.
func (g *Git) HashBytes(ctx context.Context, dir string, data []byte) (string, error) {
	out, err := g.exec(ctx, call{dir: dir, args: []string{"hash-object", "--stdin"}, stdin: data})
	if err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Committed tells which of the object ids some branch, tag or remote of the
// repository reaches.
func (g *Git) Committed(ctx context.Context, dir string, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	out, err := g.exec(ctx, call{
		dir: dir, args: []string{"rev-list", "--objects", "--all"}, limit: maxObjectList,
	})
	if err != nil {
		return nil, fmt.Errorf("list the objects of %s: %w", dir, err)
	}
	for line := range bytes.Lines(out) {
		id, _, _ := strings.Cut(strings.TrimRight(string(line), "\n"), " ")
		if wanted[id] {
			found[id] = true
		}
	}
	return found, nil
}
