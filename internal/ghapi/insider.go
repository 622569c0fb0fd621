package ghapi

import "slices"

// Insider says whether somebody's word counts as the owner's unless the
// configuration names whose does: owners, members and collaborators
// (design.md, section 14). association is as GitHub tells it of an author.
func Insider(association string) bool {
	return slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association)
}
