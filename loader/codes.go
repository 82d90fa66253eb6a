package loader

// The codes of problems, which the package documentation explains.
const (
	codeEnvDir        = "env-dir-unusable"
	codeRootInvalid   = "root-invalid"
	codeRootMissing   = "root-missing"
	codeRootNotFolder = "root-not-folder"
	codeRootRead      = "root-unreadable"

	codeFolderRead  = "folder-unreadable"
	codeFolderName  = "name-not-utf8"
	codeDepth       = "tree-too-deep"
	codeLinkRefused = "link-refused"
	codeLinkDead    = "link-dangling"
	codeLinkFile    = "link-not-folder"

	codeNotFile  = "manifest-not-file"
	codeUnread   = "unreadable"
	codeTooLarge = "file-too-large"
	codeNameCase = "file-name-case"
	codeLastGood = "last-good"
)
