package github

import (
	"net/http"
	"time"
)

// getBudget answers what is left of the hour, at no cost. All logins share one
// budget here.
func (s *Server) getBudget(w http.ResponseWriter, r *http.Request, _ grant) {
	s.mu.Lock()
	if c := callOf(r); c.at >= 0 {
		s.log[c.at].Status304 = true
	}
	counts := Count(s.log)
	s.mu.Unlock()
	reset := s.now().Add(time.Hour).Unix()
	of := func(used int) map[string]any {
		return map[string]any{"limit": 5000, "used": used, "remaining": max(0, 5000-used), "reset": reset}
	}
	answer(w, http.StatusOK, map[string]any{
		"resources": map[string]any{"core": of(counts.REST), "graphql": of(counts.Points)}, "rate": of(counts.REST),
	})
}
