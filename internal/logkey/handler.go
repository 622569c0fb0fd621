package logkey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxFile is the size, in bytes, from which a log is set aside when it is
// opened; one older file is kept.
const maxFile = 16 << 20

// Hidden stands where a secret would.
const Hidden = "[hidden]"

// secretText is what the keys of the services in use look like, wherever they
// stand in a text: Linear, GitHub, Anthropic, private keys, bearer headers.
var secretText = regexp.MustCompile(
	`\blin_(?:api|oauth)_[A-Za-z0-9]+` +
		`|\bgh[opsur]_[A-Za-z0-9]{8,}` +
		`|\bgithub_pat_[A-Za-z0-9_]+` +
		`|\bsk-[A-Za-z0-9_-]{8,}` +
		`|\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+` +
		`|(?s:-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))` +
		`|\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC) +[A-Za-z0-9._~+/=-]{16,}` +
		`|://[^/\s:@]+:[^/\s@]+@`)

// secretMarks are parts that every match of secretText has one of; a text
// without any is passed on unsearched.
var secretMarks = []string{
	"lin_", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "sk-", "eyJ", "PRIVATE KEY",
	"earer ", "EARER ", "asic ", "ASIC ", "://",
}

// Scrub replaces what looks like a secret.
func Scrub(s string) string {
	for _, mark := range secretMarks {
		if strings.Contains(s, mark) {
			return secretText.ReplaceAllString(s, Hidden)
		}
	}
	return s
}

// secretKeys are parts of attribute names whose value is never written.
var secretKeys = []string{"token", "secret", "password", "authorization", "apikey", "api_key", "credential", "privatekey"}

// Handler writes records to one file as JSON, one a line. Each record is one
// write to a file opened for appending, so that processes do not mix lines.
type Handler struct {
	slog.Handler
	file *os.File
}

// New opens the log at path, creating the file (mode 0600) and its folder
// (mode 0700). A file that has grown large is first renamed to path with `.1`.
// Records below level are dropped.
func New(path string, level slog.Leveler) (*Handler, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() >= maxFile:
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("set the full log aside: %w", err)
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open the log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	json := slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level, ReplaceAttr: hide})
	return &Handler{Handler: json, file: f}, nil
}

// Handle writes one record, without the secrets of its message.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	r.Message = Scrub(r.Message)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs answers a handler that adds attrs to each record; it writes to the
// same file, which the first handler closes.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{Handler: h.Handler.WithAttrs(attrs), file: h.file}
}

// WithGroup answers a handler that puts attributes into a group.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{Handler: h.Handler.WithGroup(name), file: h.file}
}

// Close ends the log; later records are lost.
func (h *Handler) Close() error {
	if err := h.file.Close(); err != nil {
		return fmt.Errorf("close the log: %w", err)
	}
	return nil
}

// hide replaces values by their name and texts by their look.
func hide(_ []string, a slog.Attr) slog.Attr {
	key := strings.ToLower(strings.ReplaceAll(a.Key, "-", ""))
	for _, s := range secretKeys {
		if strings.Contains(key, s) {
			return slog.String(a.Key, Hidden)
		}
	}
	switch a.Value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, Scrub(a.Value.String()))
	case slog.KindAny:
		return slog.Attr{Key: a.Key, Value: hideAny(a.Value)}
	default:
		return a
	}
}

// hideAny renders values that are no plain text, errors above all, as text
// when a secret stands in it.
func hideAny(v slog.Value) slog.Value {
	var text string
	switch x := v.Any().(type) {
	case nil:
		return v
	case error:
		text = x.Error()
	case fmt.Stringer:
		text = x.String()
	case *slog.Source:
		return v
	default:
		text = fmt.Sprintf("%+v", x)
	}
	if hidden := Scrub(text); hidden != text {
		return slog.StringValue(hidden)
	}
	return v
}
