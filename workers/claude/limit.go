package claude

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	// Windows and small containers have no time zone files of their own.
	_ "time/tzdata"
)

// limitPatterns are compiled when the first text is judged: most supervisors
// never see one.
var limitPatterns = sync.OnceValue(func() (p struct{ limit, epoch, iso, in, at, offset *regexp.Regexp }) {
	const when = `\b(?:resets?|renews?|again|available|until|retry)\b`
	p.limit = regexp.MustCompile(`(?i)\b(?:(?:hit|reached|exceeded)\s+(?:your|the)\s+(?:[\w-]+\s+){0,3}limit|` +
		`(?:session|usage|hourly|daily|weekly|monthly|\d+-hour|five-hour|opus|sonnet|haiku|fable)\s+(?:limit|quota)|` +
		`usage_limit_reached|out\s+of\s+(?:extra\s+|your\s+)?usage)\b`)
	p.epoch = regexp.MustCompile(`(?i)(?:\||resets?_?(?:at)?["']?\s*[:=]\s*["']?)\s*(\d{10})(?:\d{3})?\b`)
	p.iso = regexp.MustCompile(`(?i)(?:` + when + `|resets?_at)\D{0,12}(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d)?(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?`)
	p.in = regexp.MustCompile(`(?i)` + when + `\s+(?:in|after)\s+(?:(\d+)\s*d\w*)?[ ,]*(?:(\d+)\s*h\w*)?[ ,]*(?:(\d+)\s*m\w*)?[ ,]*(?:(\d+)\s*s\w*)?`)
	p.at = regexp.MustCompile(`(?i)` + when + `\s+(?:at\s+|on\s+|after\s+)?` +
		`(?:(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+(?:at\s+)?|` +
		`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?,?\s+(?:at\s+)?)?` +
		`(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\b\s*(?:\(([^()]{1,64})\)|((?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z]{2,4}T\b))?`)
	p.offset = regexp.MustCompile(`(?i)^(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?(\d\d))?$`)
	return p
})

// furthest is how far ahead a reset may lie: what is said to be further away
// was not understood.
const furthest = 40 * 24 * time.Hour

// ParseLimit reads what Claude Code says when a subscription's limit is used
// up: "session limit, resets 3:20pm (Europe/Berlin)", "You've hit your 5-hour
// limit · resets 1:07pm (UTC)", "usage limit reached|1796044043", "usage limit
// reached, try again at 2026-11-30T15:20:00Z". It answers whether the text says
// so, and when the limit resets; zero where it does not tell. now is when it
// was said: a time of day is the next one after it, in the zone named, else in
// now's.
func ParseLimit(text string, now time.Time) (until time.Time, limited bool) {
	text = text[:min(len(text), argLimit)]
	if !limitPatterns().limit.MatchString(text) {
		return time.Time{}, false
	}
	if until = resetIn(text, now); until.Sub(now) > furthest {
		until = time.Time{}
	}
	return until, true
}

// resetIn is the moment that a text about a limit names; zero if it names
// none.
func resetIn(text string, now time.Time) time.Time {
	p := limitPatterns()
	if m := p.epoch.FindStringSubmatch(text); m != nil {
		return time.Unix(int64(number(m[1])), 0)
	}
	if m := p.iso.FindStringSubmatch(text); m != nil {
		offset := strings.ReplaceAll(strings.ToUpper(m[3]), ":", "")
		if offset == "Z" || offset == "UTC" {
			offset = "+0000"
		}
		if t, err := time.Parse("2006-01-02 15:04 -0700", m[1]+" "+m[2]+" "+offset); err == nil {
			return t
		}
		if t, err := time.ParseInLocation("2006-01-02 15:04", m[1]+" "+m[2], now.Location()); err == nil {
			return t
		}
	}
	if m := p.in.FindStringSubmatch(text); m != nil && m[1]+m[2]+m[3]+m[4] != "" {
		hours := 24*min(number(m[1]), 999) + min(number(m[2]), 999)
		minutes, seconds := 60*hours+min(number(m[3]), 99_999), min(number(m[4]), 9_999_999)
		return now.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
	}
	if m := p.at.FindStringSubmatch(text); m != nil {
		return resetTime(m, now)
	}
	return time.Time{}
}

// justPassed is how long ago a time of day may be to be still the one that was
// meant: a limit is said to reset now when it has just done so.
const justPassed = 10 * time.Minute

// resetTime is the moment that the parts of a match name; zero if they name
// none.
func resetTime(m []string, now time.Time) time.Time {
	weekday, month, day, year := strings.ToLower(m[1]), strings.ToLower(m[2]), number(m[3]), number(m[4])
	hour, minute, ok := clock(m[5], m[6], strings.ToLower(m[7]))
	if !ok {
		return time.Time{}
	}
	local := now.In(zone(m[8]+m[9], now.Location()))
	on := func(y int, mo time.Month, d int) time.Time {
		t := time.Date(y, mo, d, hour, minute, 0, 0, local.Location())
		if t.Hour() != hour {
			t = t.Add(time.Hour) // clocks go forward over it: rather late than early
		}
		return t
	}
	earliest := now.Add(-justPassed)
	if month != "" {
		mo := months[month]
		if year != 0 {
			return on(year, mo, day)
		}
		if t := on(local.Year(), mo, day); !t.Before(earliest.AddDate(0, -1, 0)) {
			return t // also one that has passed: the limit is over
		}
		return on(local.Year()+1, mo, day)
	}
	for ahead := -1; ahead <= 8; ahead++ {
		t := on(local.Year(), local.Month(), local.Day()+ahead)
		if weekday != "" && !strings.HasPrefix(strings.ToLower(t.Weekday().String()), weekday) {
			continue
		}
		if !t.Before(earliest) {
			return t
		}
		// The hour that comes twice when clocks go back: the first one is over.
		if again := t.Add(time.Hour); again.Hour() == hour && again.Minute() == minute && !again.Before(earliest) {
			return again
		}
	}
	return time.Time{}
}

var months = map[string]time.Month{
	"jan": time.January, "feb": time.February, "mar": time.March, "apr": time.April,
	"may": time.May, "jun": time.June, "jul": time.July, "aug": time.August,
	"sep": time.September, "oct": time.October, "nov": time.November, "dec": time.December,
}

// clock reads 3pm, 3:20pm and 15:20.
func clock(h, m, half string) (hour, minute int, ok bool) {
	hour, minute = number(h), number(m)
	switch half {
	case "am", "pm":
		if hour < 1 || hour > 12 {
			return 0, 0, false
		}
		hour %= 12
		if half == "pm" {
			hour += 12
		}
	default:
		if m == "" {
			return 0, 0, false // "resets 3 times a day"
		}
	}
	return hour, minute, hour < 24 && minute < 60
}

// abbreviations are the zone names that people write and the database does not
// know, or knows for another place.
var abbreviations = map[string]string{
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles",
	"MDT": "America/Denver", "CST": "America/Chicago", "CDT": "America/Chicago",
	"EDT": "America/New_York", "ET": "America/New_York", "BST": "Europe/London",
	"CEST": "Europe/Berlin", "EEST": "Europe/Athens", "JST": "Asia/Tokyo", "IST": "Asia/Kolkata",
	"AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
}

// zone is the zone of that name; a name that nobody knows is taken for ours.
func zone(name string, ours *time.Location) *time.Location {
	name = strings.TrimSpace(name)
	if name == "" {
		return ours
	}
	if m := limitPatterns().offset.FindStringSubmatch(name); m != nil {
		east := number(m[2])*3600 + number(m[3])*60
		if m[1] == "-" {
			east = -east
		}
		return time.FixedZone(name, east)
	}
	if full, ok := abbreviations[strings.ToUpper(name)]; ok {
		name = full
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return ours
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
