package loader

// The codes of problems, see [metadata.Problem.Code]. The comment says what
// became of what was found.
const (
	codeEnvDir        = "env-dir-unusable" // the next source of the base set is used
	codeRootInvalid   = "root-invalid"     // nothing is read
	codeRootMissing   = "root-missing"
	codeRootNotFolder = "root-not-folder"
	codeRootRead      = "root-unreadable" // in a rescan, what was known of it stays

	codeFolderRead  = "folder-unreadable" // passed over
	codeFolderName  = "name-not-utf8"     // passed over
	codeDepth       = "tree-too-deep"     // folders below are not searched
	codeLinkRefused = "link-refused"      // passed over
	codeLinkDead    = "link-dangling"     // passed over
	codeLinkFile    = "link-not-folder"   // passed over

	codeNotFile  = "manifest-not-file" // the folder counts as one without it
	codeUnread   = "unreadable"        // the skill is lost
	codeTooLarge = "file-too-large"    // the skill is lost
	codeNameCase = "file-name-case"    // read as SKILL.md
	codeLastGood = "last-good"         // the last readable version stays
)
