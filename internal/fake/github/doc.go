// Package github is a GitHub of our own on loopback, for tests and for the
// demo: Apps that prove themselves by a signed JWT, installation tokens that
// expire, and what the program asks of the REST API.
//
// It promises to be as strict as the real one where the program could go
// wrong: it checks signatures, times, permissions and which repositories a
// token reaches, and answers refusals in GitHub's words and shape
// (schemas/FACTS.md). It never reaches anything outside this process.
package github
