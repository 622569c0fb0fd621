package themes

import "image/color"

// The built-in palettes.
var (
	// Dusk is the default: blue, orange and a yellow that stay apart for every
	// common colour blindness, on a dark ground.
	dusk = Palette{
		Ground:    rgb(0x1c1c1c),
		Text:      rgb(0xe4e4e4),
		Muted:     rgb(0x9e9e9e),
		Border:    rgb(0x626262),
		Accent:    rgb(0x7fb8ff),
		Alive:     rgb(0x56b4e9),
		Good:      rgb(0x6fc3b2),
		Attention: rgb(0xf5c542),
		Warn:      rgb(0xe69f00),
		Danger:    rgb(0xff8a5c),
		Chosen:    rgb(0x303030),
	}

	// Night is deep blue, for dark rooms.
	night = Palette{
		Ground:    rgb(0x0f1626),
		Text:      rgb(0xd6e0f5),
		Muted:     rgb(0x8a9bbd),
		Border:    rgb(0x4c5f86),
		Accent:    rgb(0x8fb4ff),
		Alive:     rgb(0x63c5f2),
		Good:      rgb(0x74d0bd),
		Attention: rgb(0xf4d35e),
		Warn:      rgb(0xe8a33d),
		Danger:    rgb(0xff8d72),
		Chosen:    rgb(0x1d2a48),
	}

	// Ember is warm, low in blue light for the evening.
	ember = Palette{
		Ground:    rgb(0x231c17),
		Text:      rgb(0xf0e2cf),
		Muted:     rgb(0xb39d84),
		Border:    rgb(0x75624f),
		Accent:    rgb(0x8fbfe0),
		Alive:     rgb(0x7cc0d8),
		Good:      rgb(0x9ecb9b),
		Attention: rgb(0xf7c65a),
		Warn:      rgb(0xec9f4b),
		Danger:    rgb(0xff8a68),
		Chosen:    rgb(0x3a2e24),
	}

	// Slate is quiet grey: only what needs a person is bright.
	slate = Palette{
		Ground:    rgb(0x22272e),
		Text:      rgb(0xd5dbe3),
		Muted:     rgb(0x97a3b2),
		Border:    rgb(0x5f6b7a),
		Accent:    rgb(0x9cc1ee),
		Alive:     rgb(0x83bfe0),
		Good:      rgb(0x93c7b8),
		Attention: rgb(0xf2cc60),
		Warn:      rgb(0xdfa24a),
		Danger:    rgb(0xff9070),
		Chosen:    rgb(0x303842),
	}

	// Dawn is the default on a light ground.
	dawn = Palette{
		Ground:    rgb(0xffffff),
		Text:      rgb(0x1c1c1c),
		Muted:     rgb(0x626262),
		Border:    rgb(0x8a8a8a),
		Accent:    rgb(0x005a9c),
		Alive:     rgb(0x0067a5),
		Good:      rgb(0x00625a),
		Attention: rgb(0x7a5200),
		Warn:      rgb(0x8f4a00),
		Danger:    rgb(0xa8270a),
		Chosen:    rgb(0xdbe9f6),
	}

	// Paper is dark ink on a warm page.
	paper = Palette{
		Ground:    rgb(0xf7f0e0),
		Text:      rgb(0x2b2419),
		Muted:     rgb(0x67593f),
		Border:    rgb(0x93835f),
		Accent:    rgb(0x0a558c),
		Alive:     rgb(0x005e8f),
		Good:      rgb(0x0b5a70),
		Attention: rgb(0x714c00),
		Warn:      rgb(0x854200),
		Danger:    rgb(0x9c2e05),
		Chosen:    rgb(0xe4ddc8),
	}

	// Frost is cool and light.
	frost = Palette{
		Ground:    rgb(0xeef3f8),
		Text:      rgb(0x17222e),
		Muted:     rgb(0x516070),
		Border:    rgb(0x7d8c9b),
		Accent:    rgb(0x0b5394),
		Alive:     rgb(0x005f8f),
		Good:      rgb(0x005f52),
		Attention: rgb(0x6b5000),
		Warn:      rgb(0x804500),
		Danger:    rgb(0x9c2f0c),
		Chosen:    rgb(0xd3e1ef),
	}

	// The two high-contrast palettes keep 7 to 1 everywhere.
	stark = Palette{
		Ground:    rgb(0x000000),
		Text:      rgb(0xffffff),
		Muted:     rgb(0xd0d0d0),
		Border:    rgb(0xb0b0b0),
		Accent:    rgb(0x9fd0ff),
		Alive:     rgb(0x87cefa),
		Good:      rgb(0x8fe3d0),
		Attention: rgb(0xffe14d),
		Warn:      rgb(0xffc04d),
		Danger:    rgb(0xffa37f),
		Chosen:    rgb(0x1f2f4f),
	}
	starkLight = Palette{
		Ground:    rgb(0xffffff),
		Text:      rgb(0x000000),
		Muted:     rgb(0x3f3f3f),
		Border:    rgb(0x595959),
		Accent:    rgb(0x003a70),
		Alive:     rgb(0x00456e),
		Good:      rgb(0x004060),
		Attention: rgb(0x4d3600),
		Warn:      rgb(0x5c3000),
		Danger:    rgb(0x7a1c00),
		Chosen:    rgb(0xe2edf8),
	}
)

// rgb is a colour as people write it, 0xrrggbb.
func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff} //nolint:gosec // each is one byte of v
}
