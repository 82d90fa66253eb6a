// Package publish makes of a skill's folder what is handed to others, and the
// folder of it again: an archive, a JSON payload, and a digest that says which
// revision it is.
//
// # What belongs to a skill
//
// All regular files below its folder do, but for those with a [Why]:
//
//   - what usually holds credentials: .env, *.env, .npmrc, id_rsa and the like;
//   - junk: .DS_Store, __MACOSX, Thumbs.db, backups of editors, __pycache__,
//     *.pyc, node_modules, venv and the like;
//   - all other names that begin with a dot;
//   - what a .gitignore in the folder excludes, or one in a folder of it, as git
//     has it. Those above the skill's folder are not read, so that a copy of the
//     folder has the same digest wherever it lies.
//
// What was left out is listed with the reason. A link, or anything else that is
// no regular file, is refused, as is a name that one of Windows, macOS and Linux
// cannot have or takes for another one in the same folder. [MaxFile], [MaxTotal],
// [MaxFiles] and [MaxDepth] limit the rest.
//
// Of the permissions the executable bit alone counts, and not for SKILL.md.
// Windows has none: there a file that begins with "#!" is taken for executable.
//
// # Digest
//
// [Skill.Manifest] documents what [Skill.Digest] is taken of. In a folder with
// nothing to leave out and nothing executable these commands print the digest
// without its "sha256:":
//
//	{
//		printf 'skillkit content 1\n'
//		find . -type f | sed 's|^\./||' | LC_ALL=C sort | while IFS= read -r f; do
//			printf '644 %d %s %s\n' "$(wc -c <"$f")" "$(sha256sum <"$f" | cut -d' ' -f1)" "$f"
//		done
//	} | sha256sum
//
// # Payload
//
// A payload is one JSON object. docs/payload.schema.json is its schema.
//
//	schema          "skillkit.skill/1"
//	executa_type    "skill"
//	tool_id         the identity that the platform minted; "" by default
//	name            that of the frontmatter
//	description     that of the frontmatter
//	skill_content   SKILL.md, byte for byte
//	metadata        the vendor block of the frontmatter (metadata.matrix), or {}
//	files           the other files, each {path, mode, content_b64}: the path with
//	                slashes, "0644" or "0755", the content in standard base64
//	logo            the https URL of a picture; "" by default
//	readme          Markdown for people; "" by default
//	sample_prompts  a list of texts; [] by default
//	visibility      "private", the default, "app_bundled" or "public"
//	version         that of the frontmatter; "" by default
//
// Fields without a default must be there, and others than these must not. What
// the frontmatter holds too must be the same there. tool_id, logo, readme,
// sample_prompts and visibility come from the file .listing.json in the folder,
// a JSON object with these five fields or some of them, and go there again; see
// [Listing].
//
// All functions may be called concurrently. Nothing here decides whether a skill
// is any good: package check does.
package publish
