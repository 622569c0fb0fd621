package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNoGitHub says that a folder is no demo on GitHub.
var ErrNoGitHub = errors.New("it is no demo on GitHub: name its folder with --dir (on other boards `dispatcher pulls merge` merges)")

// maxWords bounds what is read of a refusal, in bytes.
const maxWords = 4 << 10

// Merge merges a pull request as the owner does by the button on its page, on
// the GitHub of the demo at dir. An empty dir is the demo whose main checkout is
// here.
func Merge(ctx context.Context, dir, here string, number int) error {
	dir, place, err := findGitHub(dir, here)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://%s/%s/pull/%d/merge", place.Address, repository, number)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("merge #%d: %w", number, err)
	}
	client := &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{}, // past any proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("merge #%d: nothing serves the demo's GitHub: `dispatcher demo --serve --dir %s` in another terminal does: %w", number, shellWord(dir), err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSeeOther {
		return nil
	}
	words, _ := io.ReadAll(io.LimitReader(resp.Body, maxWords)) // what was read must do
	return fmt.Errorf("merge #%d: %s", number, bytes.TrimSpace(words))
}

// findGitHub finds a demo's folder, and where its GitHub is.
func findGitHub(dir, here string) (string, gitHubPlace, error) {
	dirs := []string{dir}
	if dir == "" {
		for at := here; ; at = filepath.Dir(at) {
			dirs = append(dirs, at)
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	for _, at := range dirs {
		path := filepath.Join(at, gitHubDir, placeFile)
		if _, err := os.Stat(path); err != nil || at == "" {
			continue
		}
		var place gitHubPlace
		err := readPlace(path, &place)
		if err == nil && !strings.HasPrefix(place.Address, "127.0.0.1:") {
			err = ErrNoGitHub
		}
		return at, place, err
	}
	return "", gitHubPlace{}, ErrNoGitHub
}
