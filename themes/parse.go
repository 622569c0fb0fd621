package themes

import (
	"image/color"
	"strconv"
	"strings"
)

// ParseColor reads a colour as people write it: `#rrggbb` or `#rgb`.
func ParseColor(s string) (color.Color, bool) {
	hex, ok := strings.CutPrefix(s, "#")
	if !ok {
		return nil, false
	}
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if len(hex) != 6 {
		return nil, false
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return nil, false
	}
	return rgb(uint32(v)), true
}
