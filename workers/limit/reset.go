package limit

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	// Windows and small containers have no time zone files of their own.
	_ "time/tzdata"
)

// resetForms are the forms in which a text names a moment.
var resetForms = sync.OnceValue(func() (p struct{ epoch, iso, in, at, offset *regexp.Regexp }) {
	const (
		when  = `\b(?:resets?|renews?|again|available|until|retry)\b`
		month = `(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`
		and   = `(?:\s|,|and\b)*`
	)
	p.epoch = regexp.MustCompile(`(?i)(?:\||resets?_?(?:at)?["']?\s*[:=]\s*["']?)\s*(\d{10})(?:\d{3})?\b`)
	p.iso = regexp.MustCompile(`(?i)(?:` + when + `|resets_at)\D{0,12}(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d)?(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?`)
	p.in = regexp.MustCompile(`(?i)` + when + `\s+(?:in|after)\s+(?:about\s+)?(?:(\d+|an?)\s*d\w*)?` + and + `(?:(\d+|an?)\s*h\w*)?` + and +
		`(?:(\d+|an?)\s*m\w*)?` + and + `(?:(\d+)\s*s\w*)?`)
	p.at = regexp.MustCompile(`(?i)` + when + `\s+(?:(?:at|on|after)\s+)?` +
		`(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+(?:at\s+)?|(?:today|tonight),?\s+(?:at\s+)?|(?P<tomorrow>tomorrow),?\s+(?:at\s+)?|` +
		month + `\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?|` +
		`(?P<day2>\d{1,2})(?:st|nd|rd|th)?\s+` + strings.Replace(month, "month", "month2", 1) + `(?:,?\s+(?P<year2>\d{4}))?,?\s+(?:at\s+)?)?` +
		`(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?(?:\s*(?P<half>[ap])\.?m\b\.?)?` +
		`\s*(?:\((?P<zone>[^()]{1,64})\)|(?P<offset>(?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?)|(?P<letters>(?-i:Z|[A-Z]{2,5}))\b)?`)
	p.offset = regexp.MustCompile(`(?i)^(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?(\d\d))?$`)
	return p
})

// resetIn is the moment that a text about a limit names; zero if it names
// none.
func resetIn(text string, now time.Time) time.Time {
	p := resetForms()
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
		hours := 24*min(count(m[1]), 999) + min(count(m[2]), 999)
		minutes, seconds := 60*hours+min(count(m[3]), 99_999), min(count(m[4]), 9_999_999)
		return now.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
	}
	if m := p.at.FindStringSubmatch(text); m != nil {
		part := func(name string) string { return m[p.at.SubexpIndex(name)] }
		return resetTime(part, now)
	}
	return time.Time{}
}

// justPassed is how long ago a time of day may be to be still the one that was
// meant: a limit is said to reset now when it has just done so.
const justPassed = 10 * time.Minute

// resetTime is the moment that the parts of a text name; zero if they name none,
// or a zone that nobody knows.
func resetTime(part func(name string) string, now time.Time) time.Time {
	weekday, month := strings.ToLower(part("weekday")), strings.ToLower(part("month")+part("month2"))
	day, year := number(part("day")+part("day2")), number(part("year")+part("year2"))
	hour, minute, ok := clock(part("hour"), part("minute"), strings.ToLower(part("half")))
	if !ok {
		return time.Time{}
	}
	loc, ok := zone(part("zone")+part("offset")+part("letters"), now.Location())
	if !ok {
		return time.Time{}
	}
	local := now.In(loc)
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
	if part("tomorrow") != "" {
		return on(local.Year(), local.Month(), local.Day()+1)
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
	case "a", "p":
		if hour < 1 || hour > 12 {
			return 0, 0, false
		}
		hour %= 12
		if half == "p" {
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
	"Z": "UTC", "GMT": "UTC", "MSK": "Europe/Moscow", "TRT": "Europe/Istanbul", "CAT": "Africa/Maputo", "EAT": "Africa/Nairobi", "WAT": "Africa/Lagos",
	"SAST": "Africa/Johannesburg", "BRT": "America/Sao_Paulo", "ART": "America/Argentina/Buenos_Aires", "AKST": "America/Anchorage", "AKDT": "America/Anchorage",
	"AST": "America/Halifax", "ADT": "America/Halifax", "NST": "America/St_Johns", "NDT": "America/St_Johns", "MT": "America/Denver", "CT": "America/Chicago",
	"WEST": "Europe/Lisbon", "GST": "Asia/Dubai", "PKT": "Asia/Karachi", "ICT": "Asia/Bangkok", "WIB": "Asia/Jakarta", "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong",
	"KST": "Asia/Seoul", "AWST": "Australia/Perth", "ACST": "Australia/Darwin", "ACDT": "Australia/Adelaide", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles",
	"MDT": "America/Denver", "CST": "America/Chicago", "CDT": "America/Chicago",
	"EDT": "America/New_York", "ET": "America/New_York", "BST": "Europe/London",
	"CEST": "Europe/Berlin", "EEST": "Europe/Athens", "JST": "Asia/Tokyo", "IST": "Asia/Kolkata",
	"AEST": "Australia/Sydney", "AEDT": "Australia/Sydney",
}

// zone is the zone of that name, and ours where none is named. A name that
// nobody knows is no zone: its times are not ours.
func zone(name string, ours *time.Location) (*time.Location, bool) {
	name = strings.TrimSpace(name)
	if name == "" {
		return ours, true
	}
	if m := resetForms().offset.FindStringSubmatch(name); m != nil {
		east := number(m[2])*3600 + number(m[3])*60
		if m[1] == "-" {
			east = -east
		}
		return time.FixedZone(name, east), true
	}
	if full, ok := abbreviations[strings.ToUpper(name)]; ok {
		name = full
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}

// count reads a number of hours, or a single one: "an hour".
func count(s string) int {
	if strings.HasPrefix(strings.ToLower(s), "a") {
		return 1
	}
	return number(s)
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
