// Package loader finds skills: it turns roots, which are folders of the
// operating system or [fs.FS] values, into a [skills.Set].
//
// A root is walked to a depth of [MaxDepth] folders. A folder with a SKILL.md
// is a skill, and the walk stops there. Folders that start with a dot,
// node_modules, venv, dist and __pycache__ are passed over. The index holds
// names and descriptions; manifests and bodies are read by the skills when
// they are asked for. Nothing is dropped in silence: what could not be loaded
// is a [metadata.Problem] of the set, and never costs another skill.
//
// # Links
//
// The caller's own roots follow links to folders. A root of source
// [skills.Workspace], which came with somebody else's files, follows only
// links that stay inside it or inside an allowed folder. A link that is
// refused, dangling, or not to a folder is one problem. A folder is walked
// once, however many links lead to it, so cycles end. The files of a skill
// are read through [os.Root]: no "..", absolute path or link reads anything
// outside its folder. [Digest] tells whether a folder of skills is still what
// somebody looked at.
//
// # Codes
//
// Of a root:
//
//	env-dir-unusable   the next source of the base set is used
//	root-invalid       its path means nothing; it is passed over
//	root-missing       it is passed over
//	root-not-folder    it is passed over
//	root-unreadable    it is passed over; in a rescan, what was known of it stays
//
// Of a folder or a link in it:
//
//	folder-unreadable  passed over
//	name-not-utf8      passed over
//	tree-too-deep      the folders below are not searched
//	link-refused       passed over
//	link-dangling      passed over
//	link-not-folder    passed over
//
// Of a manifest file, besides those of package metadata:
//
//	manifest-not-file  the folder counts as one without it
//	unreadable         the skill is lost
//	file-too-large     the skill is lost
//	file-name-case     read as SKILL.md
//	last-good          the last readable version stays in use
//
// There is no package-level state, and every type is safe for concurrent use.
package loader
