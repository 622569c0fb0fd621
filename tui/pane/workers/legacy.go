package workers

// SeekTool goes to the next or previous tool call.
func (m *Model) SeekTool(by int) bool { return m.piece(by).Say == "" }

// SeekError goes to the next error.
func (m *Model) SeekError(int) bool { return m.nextError().Say == "" }
