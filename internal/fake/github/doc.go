// Package github is a GitHub of our own on loopback, for tests and for the
// demo: Apps that prove themselves by a signed JWT, installation tokens that
// expire, what the program asks of REST and GraphQL, git over HTTP, the page of
// a pull request, and deliveries to hooks.
//
// It promises to be as strict as the real one where the program could go
// wrong: it checks signatures, times, permissions and which repositories a
// token reaches, and answers refusals in GitHub's words and shape
// (schemas/FACTS.md), and lets no answer out before what it tells is kept in its
// folder. It reaches nothing outside this process but the hooks that it was given.
package github
