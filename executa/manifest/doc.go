// Package manifest reads the JSON files of an Executa Tool: executa.json, the
// manifest that a plugin answers describe with, and the manifest.json inside an
// archive. It also holds the tables and rules that go with them: platform keys,
// capability strings, credential providers, and which file of an archive is started.
//
// Reading is lenient: what can be read is, and the rest is reported as
// [metadata.Problem] values with positions. Only text in which there is no
// JSON object is an error, a [*SyntaxError]. Keys that are not known are kept. A
// field that is null is absent.
//
// The package takes bytes and returns values. It touches neither files nor
// environment, holds no state, and may be used from several goroutines.
//
// # Codes
//
// Of the whole file, as a [SyntaxError]:
//
//	manifest-too-large        more than MaxFile bytes
//	manifest-not-utf8         a byte that is not UTF-8
//	manifest-not-json         not JSON, not even relaxed
//	manifest-not-object       a list, text or another value
//
// Of a file that was read:
//
//	manifest-not-strict-json  comments, trailing commas or text, a byte order mark …
//	manifest-duplicate-key    the last of equal keys was read
//	manifest-wrapped          the manifest inside "manifest" or "result" was read
//	manifest-wrong-type       a field of another type; read as text if text is wanted, else not
package manifest
