// Package skills says what a skill and a set of skills are. It reads nothing
// by itself: a loader makes each [Skill] from an index entry and a confined
// file system, and the skill reads its manifest and body from there when they
// are first asked for.
//
// # Codes
//
//	duplicate-name       the first in path order has the name
//	similar-name         both are kept
//	duplicate-skill-key  the first by name has the key
//	unreadable           the manifest file cannot be read
//	last-good            the last readable version stays in use
//
// There is no package-level state, and every type is safe for concurrent use.
package skills
