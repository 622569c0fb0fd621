package limit

import (
	"testing"
	"time"
)

// Failure 8: a session limit with its reset, in several zones and forms.
func TestParse(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 30, 11, 7, 20, 0, time.UTC) // a Monday
	utc := func(d, h, m int) time.Time { return time.Date(2026, 11, d, h, m, 0, 0, time.UTC) }
	tests := []struct {
		name, text string
		now        time.Time
		want       time.Time
	}{
		{"as recorded", "You've hit your 5-hour limit · resets 1:07pm (UTC)", now, utc(30, 13, 7)},
		{"session limit", "session limit, resets 3:20pm (UTC)", now, utc(30, 15, 20)},
		{"a zone west of us", "session limit, resets 3:20pm (America/New_York)", now, utc(30, 20, 20)},
		{"a zone east of us, next day there", "session limit, resets 3:20am (Asia/Tokyo)", now, utc(30, 18, 20)},
		{"half-hour zone", "Session limit reached ∙ resets 9pm (Asia/Kolkata)", now, utc(30, 15, 30)},
		{"abbreviation", "usage limit reached, resets at 8am (PST)", now, utc(30, 16, 0)},
		{"24 hours", "Weekly limit reached, resets 15:20 (Europe/Berlin)", now, utc(30, 14, 20)},
		{"no zone is ours", "session limit, resets 3pm", now.In(berlin), utc(30, 14, 0)},
		{"an unknown zone is not ours", "session limit, resets 3pm (Nowhere/City)", now, time.Time{}},
		{"unknown letters are not ours", "session limit, resets 15:20 QQT", now, time.Time{}},
		{"letters that end otherwise", "session limit, resets 15:20 MSK", now, utc(30, 12, 20)},
		{"zulu", "session limit, resets 15:20Z", now, utc(30, 15, 20)},
		{"a half with points", "session limit, resets 3:20 p.m. (Europe/Berlin)", now, utc(30, 14, 20)},
		{"a half with points, no zone", "session limit, resets at 3:20 P.M.", now, utc(30, 15, 20)},
		{"hours and minutes", "usage limit reached, try again in 1 hour and 20 minutes", now, now.Add(80 * time.Minute)},
		{"an hour", "usage limit reached, try again in an hour", now, now.Add(time.Hour)},
		{"tomorrow", "usage limit reached, resets tomorrow at 3pm (UTC)", now, time.Date(2026, 12, 1, 15, 0, 0, 0, time.UTC)},
		{"today", "usage limit reached, resets today at 3pm (UTC)", now, utc(30, 15, 0)},
		{"the day first", "weekly limit reached, resets on 3 December at 15:00 (UTC)", now, time.Date(2026, 12, 3, 15, 0, 0, 0, time.UTC)},
		{"an ordinal", "weekly limit, resets Dec 3rd, 3pm (UTC)", now, time.Date(2026, 12, 3, 15, 0, 0, 0, time.UTC)},
		{"which limit is not said", "Limit reached · resets 3pm (UTC)", now, utc(30, 15, 0)},
		{"a quota", "Your quota has been exhausted. Resets 3pm (UTC)", now, utc(30, 15, 0)},
		{"all of it", "You've used all of your included usage · resets 3pm (UTC)", now, utc(30, 15, 0)},
		{"a hundred per cent", "You've used 100% of your 5-hour usage, resets 3pm (UTC)", now, utc(30, 15, 0)},
		{"a cap", "You have reached your weekly usage cap", now, time.Time{}},
		{"an organisation", "You've hit your org's monthly spend limit", now, time.Time{}},
		{"reached in spite of a figure", "You've hit your weekly limit (you had 5% left yesterday), resets 3pm (UTC)", now, utc(30, 15, 0)},
		{"just reset", "session limit, resets 11:07am (UTC)", now, utc(30, 11, 7)},
		{"passed today is tomorrow", "session limit, resets 10am (UTC)", now, time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)},
		{"noon", "session limit, resets 12pm (UTC)", now, utc(30, 12, 0)},
		{"midnight", "session limit, resets 12am (UTC)", now, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
		{"with a date", "You've reached your weekly limit, resets Dec 3 at 3pm (UTC)", now, time.Date(2026, 12, 3, 15, 0, 0, 0, time.UTC)},
		{"with a date over the year", "weekly limit, resets Jan 2, 3pm (UTC)", now, time.Date(2027, 1, 2, 15, 0, 0, 0, time.UTC)},
		{"with a date and year", "weekly limit, resets Jan 2, 2027, 3pm (UTC)", now, time.Date(2027, 1, 2, 15, 0, 0, 0, time.UTC)},
		{"with a weekday", "weekly limit, resets Thu 3:00 PM (UTC)", now, time.Date(2026, 12, 3, 15, 0, 0, 0, time.UTC)},
		{"as a number", "Claude AI usage limit reached|1796044043", now, time.Unix(1796044043, 0)},
		{"as a wait", "usage limit reached, resets in 2h 5m", now, now.Add(2*time.Hour + 5*time.Minute)},
		{"without a time", "You've hit your usage limit.", now, time.Time{}},
		{"a time that is none", "session limit, resets 25:70 (UTC)", now, time.Time{}},
		{
			"clocks go back in the night", "session limit, resets 3:20am (America/New_York)",
			time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 8, 20, 0, 0, time.UTC),
		},
		{
			"clocks go forward in the night", "session limit, resets 3:20am (America/New_York)",
			time.Date(2026, 3, 8, 4, 0, 0, 0, time.UTC), time.Date(2026, 3, 8, 7, 20, 0, 0, time.UTC),
		},
		{"a stamp", "usage limit reached, resets at 2026-11-30T15:20:00Z", now, utc(30, 15, 20)},
		{"a stamp with an offset", "Usage limit reached. Try again at 2026-11-30 17:20:00+02:00", now, utc(30, 15, 20)},
		{"a stamp without a zone is ours", "usage limit reached, resets at 2026-11-30 15:20", now.In(berlin), utc(30, 14, 20)},
		{"as a body", `{"type":"error","error":{"type":"usage_limit_reached","resets_at":1796044043}}`, now, time.Unix(1796044043, 0)},
		{"other words", "You're out of usage · resets 3:20pm (Europe/Berlin)", now, utc(30, 14, 20)},
		{"will reset", "You've reached your usage limit. Your limit will reset at 3pm (Europe/Berlin).", now, utc(30, 14, 0)},
		{"try again", "5-hour limit reached, try again at 15:20 UTC", now, utc(30, 15, 20)},
		{"a zone without parentheses", "session limit, resets 3pm PST", now, utc(30, 23, 0)},
		{"an offset", "session limit, resets 3pm (UTC+5:30)", now, time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)},
		{"an offset to the west", "session limit, resets 9am GMT-3", now, utc(30, 12, 0)},
		{"a wait in seconds", "usage limit reached, retry after 3600 seconds", now, now.Add(time.Hour)},
		{"a wait in days", "weekly limit reached, resets in 2 days, 3 hours", now, now.Add(51 * time.Hour)},
		{"too far away", "usage limit reached, resets in 900 days", now, time.Time{}},
		{"a year that is none of ours", "usage limit reached|9999999999", now, time.Time{}},
		{
			"the hour that comes twice, its first time", "session limit, resets 1:30am (America/New_York)",
			time.Date(2026, 11, 1, 4, 50, 0, 0, time.UTC), time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC),
		},
		{
			"the hour that comes twice, its second time", "session limit, resets 1:30am (America/New_York)",
			time.Date(2026, 11, 1, 6, 5, 0, 0, time.UTC), time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC),
		},
		{
			"an hour that does not come", "session limit, resets 2:30am (America/New_York)",
			time.Date(2026, 3, 8, 6, 0, 0, 0, time.UTC), time.Date(2026, 3, 8, 7, 30, 0, 0, time.UTC),
		},
	}
	for _, tt := range tests {
		got, ok := Parse(tt.text, tt.now)
		if !ok || !got.Equal(tt.want) {
			t.Errorf("%s: %v, %v; want %v", tt.name, got.UTC(), ok, tt.want.UTC())
		}
	}
	for _, text := range []string{
		"", "API Error: 529 overloaded", "429 rate limit", "prompt is too long: limit 200000 tokens", "the counter resets 3pm (UTC)",
		"Credit balance is too low", "you have used 80% of your weekly limit, resets 3pm", "Approaching your usage limit · resets at 3pm",
		"You have 20% of your session limit left, resets 3pm", "rate limit exceeded, retry after 20 seconds", "you have exceeded your token limit",
		"context limit reached · retry after 3pm", "the file exceeded the size limit", "limit reached", "429: exceeded the rate limit; resets in 20s",
	} {
		if until, ok := Parse(text, now); ok {
			t.Errorf("%q taken for a usage limit until %v", text, until)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("session limit, resets Jan 2, 2027, 3:20pm (Europe/Berlin)")
	f.Add("usage limit reached|1796044043000")
	f.Fuzz(func(t *testing.T, text string) {
		now := time.Unix(1796044043, 0)
		if until, ok := Parse(text, now); !ok && !until.IsZero() || until.Sub(now) > furthest {
			t.Fatalf("%q: limit %v until %v", text, ok, until)
		}
	})
}
