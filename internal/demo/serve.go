package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// platformNow is the platform of the folder: what it was made with, else what
// is asked for.
func (d *Demo) platformNow(asked string) config.Platform {
	for dir, p := range map[string]config.Platform{linearDir: config.PlatformLinear, gitHubDir: config.PlatformGitHub} {
		if _, err := os.Stat(filepath.Join(d.Dir, dir, placeFile)); err == nil {
			return p
		}
	}
	if d.Continued || asked == "" {
		return config.PlatformNative
	}
	return config.Platform(asked)
}

// placeFile says where a demo's board is served: what its configuration names.
const placeFile = "demo.json"

// anywhere is a free address of this machine.
const anywhere = "127.0.0.1:0"

// listen takes the address of a demo's board.
func listen(ctx context.Context, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; is the demo running already, or `demo --serve`? Its configuration names this address", err)
	}
	return l, nil
}

// served is a board that answers HTTP.
type served struct {
	srv  *http.Server
	done chan struct{}
}

func serve(l net.Listener, h http.Handler) *served {
	s := &served{srv: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = s.srv.Serve(l) // it ends when it is closed
	}()
	return s
}

func (s *served) stop() {
	_ = s.srv.Close() // nothing is left to say to anybody
	<-s.done
}

// readPlace reads where a board was served; what was never served stays as it is.
func readPlace(path string, place any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, place)
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read where the demo's board is: %w", err)
	}
	return nil
}

func writePlace(path string, place any) error {
	data, err := json.MarshalIndent(place, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = statefile.WriteAtomic(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note where the demo's board is: %w", err)
	}
	return nil
}
