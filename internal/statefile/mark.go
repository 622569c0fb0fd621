package statefile

// Mark is a kernel lock that a process shares with the processes that it starts:
// where the system lets a lock be inherited (File), it stays held until the last
// of them has ended, also when the first one was killed. The kernel tells, no
// record has to be kept.
type Mark struct{ mark }

// TryMark takes the mark at path if nobody holds it, and reports false if
// somebody does, or just looks. The file is created 0600; its folder must exist.
func TryMark(path string) (*Mark, bool, error) {
	m, ok, err := tryMark(path)
	switch {
	case err != nil:
		return nil, false, explain("mark", path, err)
	case !ok:
		return nil, false, nil
	}
	return &Mark{m}, true, nil
}

// Marked says whether any process holds the mark at path. Where the file cannot
// be read it is an error.
func Marked(path string) (bool, error) {
	held, err := marked(path)
	if err != nil {
		return false, explain("look at the mark", path, err)
	}
	return held, nil
}
