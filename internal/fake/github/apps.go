package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// maxAhead is how far in the future a JWT may expire.
const maxAhead = 10 * time.Minute

// asApp lets an App in that proves itself by a JWT.
func (s *Server) asApp(next func(http.ResponseWriter, *http.Request, *App)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, err := s.proven(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			refuse(w, http.StatusUnauthorized, err.Error())
			return
		}
		next(w, r, a)
	}
}

// The refusals of a JWT, in GitHub's words.
var (
	errUndecodable = errors.New("A JSON web token could not be decoded")                                                                               //nolint:staticcheck // GitHub's words
	errTooFar      = errors.New("'Expiration time' claim ('exp') is too far in the future")                                                            //nolint:staticcheck // GitHub's words
	errExpired     = errors.New("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires") //nolint:staticcheck // GitHub's words
	errIssued      = errors.New("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")                    //nolint:staticcheck // GitHub's words
)

// proven is the App that signed a JWT with its key, within the times.
func (s *Server) proven(text string) (*App, error) {
	var app *App
	_, err := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation()).
		Parse(text, func(t *jwt.Token) (any, error) {
			issuer, err := t.Claims.GetIssuer()
			if err != nil {
				return nil, err
			}
			id, err := strconv.ParseInt(issuer, 10, 64)
			if err != nil {
				return nil, err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if app = s.apps[id]; app == nil {
				return nil, errUndecodable
			}
			return app.Key, s.inTime(t.Claims)
		})
	for _, e := range []error{errTooFar, errExpired, errIssued} {
		if errors.Is(err, e) {
			return nil, e
		}
	}
	if err != nil {
		return nil, errUndecodable
	}
	return app, nil
}

func (s *Server) inTime(claims jwt.Claims) error {
	exp, err := claims.GetExpirationTime()
	if err != nil || exp == nil || !exp.After(s.now()) {
		return errExpired
	}
	if exp.Sub(s.now()) > maxAhead {
		return errTooFar
	}
	if iat, err := claims.GetIssuedAt(); err != nil || iat == nil || iat.After(s.now()) {
		return errIssued
	}
	return nil
}

func (*Server) getApp(w http.ResponseWriter, _ *http.Request, a *App) {
	answer(w, http.StatusOK, map[string]any{"id": a.ID, "slug": a.Slug, "permissions": a.Permissions})
}

func (s *Server) getInstallation(w http.ResponseWriter, r *http.Request, a *App) {
	if !installed(w, r, a) {
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"id": a.Installation, "app_id": a.ID, "app_slug": a.Slug, "account": map[string]any{"login": a.Account},
		"repository_selection": "selected", "permissions": a.Permissions,
	})
}

func installed(w http.ResponseWriter, r *http.Request, a *App) bool {
	if r.PathValue("id") != strconv.FormatInt(a.Installation, 10) {
		refuse(w, http.StatusNotFound, "Not Found")
		return false
	}
	return true
}

func (s *Server) mint(w http.ResponseWriter, r *http.Request, a *App) {
	if !installed(w, r, a) {
		return
	}
	if a.Suspended {
		refuse(w, http.StatusForbidden, "This installation has been suspended")
		return
	}
	var o struct {
		Repositories []string `json:"repositories"`
	}
	if r.ContentLength != 0 && json.NewDecoder(r.Body).Decode(&o) != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	for _, name := range o.Repositories {
		if !slices.Contains(a.Repositories, name) {
			refuse(w, http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
			return
		}
	}
	s.mu.Lock()
	s.minted++
	g := grant{app: a, repos: o.Repositories, expires: s.now().Add(s.life)}
	// The form without state is far longer than the 40 characters of old.
	text := fmt.Sprintf("ghs_%d_%s%06d", a.ID, strings.Repeat("eyJhbGciOiJSUzI1NiJ9", 20), s.minted)
	s.tokens[text] = g
	s.mu.Unlock()
	answer(w, http.StatusCreated, map[string]any{
		"token": text, "expires_at": g.expires.UTC().Format(time.RFC3339), "permissions": a.Permissions, "repository_selection": "selected",
	})
}

// bearer is the token that a request bears.
func bearer(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token
}

// asInstallation lets in whoever has a token that lasts.
func (s *Server) asInstallation(next func(http.ResponseWriter, *http.Request, grant)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token := bearer(r)
		s.mu.Lock()
		g, known := s.tokens[token]
		s.mu.Unlock()
		if !known || g.user == "" && !g.expires.After(s.now()) {
			refuse(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		next(w, r, g)
	}
}

func (s *Server) getUser(w http.ResponseWriter, r *http.Request, _ grant) {
	s.mu.Lock()
	id, known := s.users[r.PathValue("login")]
	s.mu.Unlock()
	if !known {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	answer(w, http.StatusOK, map[string]any{"id": id, "login": r.PathValue("login"), "type": "Bot"})
}
