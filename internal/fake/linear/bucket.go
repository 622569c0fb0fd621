package linear

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// bucket is what is left of an hour's requests and points. It refills at a
// constant rate.
type bucket struct {
	requests, points float64
	at               time.Time
}

func (b *bucket) refill(o *Options, now time.Time) {
	if !b.at.IsZero() {
		hours := now.Sub(b.at).Hours()
		b.requests = min(o.Requests, b.requests+hours*o.Requests)
		b.points = min(o.Points, b.points+hours*o.Points)
	}
	b.at = now
}

// reset is when a bucket is full again.
func reset(now time.Time, left, limit float64) time.Time {
	return now.Add(time.Duration((limit - left) / limit * float64(time.Hour)))
}

func rateLimited(limit float64, what string) *fault {
	return &fault{
		message: fmt.Sprintf("Rate limit exceeded. Only %.0f %s are allowed per 1 hour.", limit, what),
		typ:     "ratelimited", code: "RATELIMITED", status: http.StatusTooManyRequests,
		shown: "You are sending too many requests. Please wait a while.",
	}
}

// headers tell what is left, as every answer does.
func (w *World) headers(h http.Header, cost float64) {
	o, b := &w.o, &w.bucket
	put := func(name string, v float64) { h.Set(name, strconv.FormatFloat(v, 'f', 0, 64)) }
	put("X-RateLimit-Requests-Limit", o.Requests)
	put("X-RateLimit-Requests-Remaining", max(0, b.requests))
	put("X-RateLimit-Requests-Reset", float64(reset(b.at, b.requests, o.Requests).UnixMilli()))
	put("X-RateLimit-Complexity-Limit", o.Points)
	put("X-RateLimit-Complexity-Remaining", max(0, b.points))
	put("X-RateLimit-Complexity-Reset", float64(reset(b.at, b.points, o.Points).UnixMilli()))
	h.Set("Date", b.at.UTC().Format(http.TimeFormat))
	h.Set("X-Complexity", strconv.FormatFloat(cost, 'f', 1, 64))
}

// status is the answer to rateLimitStatus.
func (w *World) status() obj {
	o, b := &w.o, &w.bucket
	limit := func(typ string, left, allowed float64) obj {
		return func(field string, _ map[string]any) (any, error) {
			switch field {
			case "type":
				return typ, nil
			case "allowedAmount":
				return allowed, nil
			case "remainingAmount":
				return left, nil
			case "requestedAmount":
				return 1.0, nil
			case "period":
				return float64(time.Hour.Milliseconds()), nil
			case "reset":
				return float64(reset(b.at, left, allowed).UnixMilli()), nil
			}
			return noField("RateLimitResultPayload", field)
		}
	}
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "kind":
			return "apiKey", nil
		case "identifier":
			return nil, nil
		case "limits":
			return []obj{limit("requests", b.requests, o.Requests), limit("complexity", b.points, o.Points)}, nil
		}
		return noField("RateLimitPayload", field)
	}
}
