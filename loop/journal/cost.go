package journal

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Cost is what one run spent, a line of costs.jsonl.
type Cost struct {
	At     time.Time  `json:"at"` // when the run ended, UTC
	Run    string     `json:"run"`
	Ref    board.Ref  `json:"ref"`
	Kind   board.Kind `json:"kind"`
	USD    float64    `json:"usd"`
	Tokens int64      `json:"tokens"`
}

// AddCost appends what a run spent. The same run counts once, however often it
// is added: a restart may settle a run twice.
func (j *Journal) AddCost(c Cost) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode the cost of run %s: %w", c.Run, err)
	}
	return statefile.AppendLine(filepath.Join(j.dir, costsFile), line)
}

// CostOn is what was spent on a UTC day, in USD. Lines that cannot be read are
// passed over.
func (j *Journal) CostOn(day time.Time) (float64, error) {
	lines, _, err := statefile.ReadLines(filepath.Join(j.dir, costsFile), 0)
	if err != nil {
		return 0, fmt.Errorf("read the costs: %w", err)
	}
	want := day.UTC().Format(time.DateOnly)
	seen := map[string]bool{}
	sum := 0.0
	for _, l := range lines {
		var c Cost
		if json.Unmarshal(l, &c) != nil || seen[c.Run] {
			continue
		}
		seen[c.Run] = true
		if c.At.UTC().Format(time.DateOnly) == want {
			sum += c.USD
		}
	}
	return sum, nil
}
