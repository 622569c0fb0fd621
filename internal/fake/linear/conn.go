package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// item is one node of a connection with what it is ordered by.
type item struct {
	node             obj
	created, updated time.Time
	at               int // as it was made
}

// conn collects the nodes of a connection.
type conn struct{ items []item }

func (c *conn) add(node obj, i item) {
	i.node, i.at = node, len(c.items)
	c.items = append(c.items, i)
}

// maxPage is what Linear takes for `first`.
const maxPage = 250

// page filters, orders and cuts the nodes as the arguments say.
func (c *conn) page(o *Options, args map[string]any) (any, error) {
	if f, ok := args["filter"].(map[string]any); ok {
		var kept []item
		for _, i := range c.items {
			ok, err := matches(f, i.node)
			if err != nil {
				return nil, err
			}
			if ok {
				kept = append(kept, i)
			}
		}
		c.items = kept
	}
	c.order(o, args)
	first, last := intArg(args["first"]), intArg(args["last"])
	if first > maxPage || last > maxPage {
		return nil, invalid("Argument Validation Error", fmt.Sprintf("first must not be greater than %d", maxPage))
	}
	from, to := 0, len(c.items)
	if after, ok := args["after"].(string); ok {
		from = cursor(after) + 1
	}
	if before, ok := args["before"].(string); ok {
		to = min(to, cursor(before))
	}
	from = min(from, to)
	switch {
	case last > 0:
		from = max(from, to-last)
	case first > 0:
		to = min(to, from+first)
	default:
		to = min(to, from+defaultPage)
	}
	return c.slice(from, to), nil
}

// defaultPage is what Linear answers, and charges, without `first`.
const defaultPage = 50

func (c *conn) order(o *Options, args map[string]any) {
	key := func(i *item) time.Time { return i.created }
	if args["orderBy"] == "updatedAt" {
		key = func(i *item) time.Time { return i.updated }
	}
	slices.SortStableFunc(c.items, func(a, b item) int {
		n := key(&b).Compare(key(&a))
		if n == 0 {
			n = b.at - a.at
		}
		if o.OldestFirst {
			n = -n
		}
		return n
	})
}

// slice is the connection object of the items from and before to. A cursor is
// a place in the list: enough for a client that reads page after page.
func (c *conn) slice(from, to int) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "nodes":
			nodes := make([]obj, 0, to-from)
			for _, i := range c.items[from:to] {
				nodes = append(nodes, i.node)
			}
			return nodes, nil
		case "pageInfo":
			return obj(func(field string, _ map[string]any) (any, error) {
				switch field {
				case "hasNextPage":
					return to < len(c.items), nil
				case "hasPreviousPage":
					return from > 0, nil
				case "startCursor":
					return "at-" + strconv.Itoa(from), nil
				case "endCursor":
					return "at-" + strconv.Itoa(to-1), nil
				}
				return noField("PageInfo", field)
			}), nil
		}
		return noField("Connection", field)
	}
}

func cursor(s string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "at-"))
	if err != nil {
		return -1
	}
	return n
}

func intArg(v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}
