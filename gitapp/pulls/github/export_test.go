package github

// Known counts what a store keeps of pull requests, and of pairs of commits.
func (s *Store) Known() (pulls, pairs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known), len(s.apart)
}
