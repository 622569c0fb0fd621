//go:build !linux && !darwin

package workers

// processArgs knows nothing: these systems do not show how another process
// was started.
func processArgs(int) []string { return nil }
