// Package skills says what a skill and a set of skills are. It reads nothing
// by itself: a loader makes each [Skill] from an index entry and a confined
// file system, and the skill reads its manifest and body from there when they
// are first asked for.
//
// There is no package-level state, and every type is safe for concurrent use.
package skills
