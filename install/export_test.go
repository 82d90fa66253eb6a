package install

// What tests of package install_test look at.
var (
	CheckPackage = checkPackage
	CheckBin     = checkBin
	CheckCommand = checkCommand
	PlainRemoval = plainRemoval
	Slug         = slug
)
