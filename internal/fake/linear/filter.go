package linear

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// matches holds an object against a filter: every key must hold, `and` and
// `or` combine, and a filter on something that is not there holds only when it
// asks for null.
func matches(f map[string]any, o obj) (bool, error) {
	for key, want := range f {
		if want == nil {
			continue
		}
		ok, err := matchKey(key, want, o)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func matchKey(key string, want any, o obj) (bool, error) {
	switch key {
	case "and", "or":
		list, _ := want.([]any)
		for _, sub := range list {
			m, _ := sub.(map[string]any)
			ok, err := matches(m, o)
			if err != nil {
				return false, err
			}
			if ok == (key == "or") {
				return ok, nil
			}
		}
		return key == "and" || len(list) == 0, nil
	case "null":
		return want == false, nil // the object is there
	}
	m, ok := want.(map[string]any)
	if !ok {
		return false, fmt.Errorf("the fake does not know the filter %s", key)
	}
	value, err := o(key, nil)
	if err != nil {
		return false, err
	}
	switch v := value.(type) {
	case obj:
		return matches(m, v)
	case nil:
		return m["null"] == true, nil
	}
	return compare(m, value)
}

// compare holds a scalar against a comparator.
func compare(c map[string]any, v any) (bool, error) {
	for op, want := range c {
		if want == nil {
			continue
		}
		ok, err := compareOne(op, v, want)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func compareOne(op string, v, want any) (bool, error) {
	switch op {
	case "null":
		return want == false, nil
	case "eq":
		return same(v, want), nil
	case "neq":
		return !same(v, want), nil
	case "in", "nin":
		list, _ := want.([]any)
		return slices.ContainsFunc(list, func(w any) bool { return same(v, w) }) == (op == "in"), nil
	case "gt", "gte", "lt", "lte":
		n := order(v, want)
		return op == "gt" && n > 0 || op == "gte" && n >= 0 || op == "lt" && n < 0 || op == "lte" && n <= 0, nil
	}
	have, wanted := fmt.Sprint(v), fmt.Sprint(want)
	switch op {
	case "contains":
		return strings.Contains(have, wanted), nil
	case "startsWith":
		return strings.HasPrefix(have, wanted), nil
	case "eqIgnoreCase":
		return strings.EqualFold(have, wanted), nil
	}
	return false, fmt.Errorf("the fake does not know the comparator %s", op)
}

func same(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	return a == b
}

// order compares numbers, and times as RFC 3339 writes them.
func order(a, b any) int {
	x, okX := number(a)
	y, okY := number(b)
	if !okX || !okY {
		s, t := fmt.Sprint(a), fmt.Sprint(b)
		at, errA := time.Parse(time.RFC3339, s)
		bt, errB := time.Parse(time.RFC3339, t)
		if errA == nil && errB == nil {
			return at.Compare(bt)
		}
		return strings.Compare(s, t)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}
