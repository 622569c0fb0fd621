package widget

import (
	"fmt"
	"strconv"
	"time"
)

// Age is a duration in its largest fitting unit: `now` under a minute, then
// `12m`, `2h`, `3d`. Hours below three keep their minutes (`97m`), because the
// difference between one and two hours matters for a worker. Time that lies
// ahead is `now`: clocks differ.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	default:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
}

// Lasted is how long something took or takes: Age, and `<1m` where Age would say
// that it is now.
func Lasted(d time.Duration) string {
	if d < time.Minute {
		return "<1m"
	}
	return Age(d)
}

// Since is the age of t at now, and empty for the zero time.
func Since(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Age(now.Sub(t))
}

// Ago is Since as a phrase: `14m ago`, `just now`, and empty for zero.
func Ago(t, now time.Time) string {
	s := Since(t, now)
	switch s {
	case "":
		return ""
	case "now":
		return "just now"
	}
	return s + " ago"
}

// Clock is a short duration as minutes and seconds, `0:42`; it is never
// negative and grows to `1:02:03`.
func Clock(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Took is how long something short took: `8 ms`, `1.2 s`, then as Clock.
func Took(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return Clock(d)
}

// Money is an amount in US dollars, `$4.12`.
func Money(usd float64) string { return "$" + strconv.FormatFloat(usd, 'f', 2, 64) }

// Tokens is a count of tokens as people say it: `830 tokens`, `48k tokens`,
// `2.1M tokens`.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " tokens"
	case n < 1_000_000:
		return strconv.FormatInt(n/1000, 10) + "k tokens"
	default:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M tokens"
	}
}

// Count is a number with its noun, in the singular for one.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Thousands writes n with commas: `2,114`.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
