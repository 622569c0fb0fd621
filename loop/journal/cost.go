package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	// Estimated says that a part of it was never told: the run was killed.
	Estimated bool `json:"estimated,omitempty"`
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

// CostOn is what was spent on a UTC day, in USD.
func (j *Journal) CostOn(day time.Time) (float64, error) {
	costs, err := j.Costs()
	if err != nil {
		return 0, err
	}
	want, sum := day.UTC().Format(time.DateOnly), 0.0
	for _, c := range costs {
		if c.At.UTC().Format(time.DateOnly) == want {
			sum += c.USD
		}
	}
	return sum, nil
}

// Costs are all of them, each run once, in the order in which they were
// added. Lines that cannot be read are passed over. The answer is kept as long
// as the file stays as it is, and is not to be changed.
func (j *Journal) Costs() ([]Cost, error) {
	path := filepath.Join(j.dir, costsFile)
	j.mu.Lock()
	defer j.mu.Unlock()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the costs: %w", err)
	case j.costs != nil && info.Size() == j.costsSize && info.ModTime().Equal(j.costsTime):
		return j.costs, nil
	}
	lines, _, err := statefile.ReadLines(path, 0)
	if err != nil {
		return nil, fmt.Errorf("read the costs: %w", err)
	}
	seen := map[string]bool{}
	all := make([]Cost, 0, len(lines))
	for _, l := range lines {
		var c Cost
		if json.Unmarshal(l, &c) != nil || seen[c.Run] {
			continue
		}
		seen[c.Run] = true
		all = append(all, c)
	}
	j.costs, j.costsSize, j.costsTime = all, info.Size(), info.ModTime()
	return all, nil
}
