// Package credentials keeps the secrets that plugins are given: encrypted in a
// file, for the whole platform or for one plugin, and found by the names that
// plugins declare.
//
// # Names
//
// A plugin declares names, such as GITHUB_ACCESS_TOKEN. [Store.Resolve] looks for a
// value in this order:
//
//  1. the platform: the provider that maps the name to one of its fields, here
//     GITHUB_TOKEN of the provider github, is asked for that field. Of several
//     providers the first that has a value is used;
//  2. the plugin: the value that was set for that name and that plugin. No other
//     plugin gets it.
//
// Providers are data: those of [manifest.Providers], and those that the caller adds.
//
// # OAuth
//
// A provider with auth "oauth2" has one field, access_token, for which the
// [manifest.AccessToken] in its mapping stands. What is stored is what is given:
// this package has no clients registered with the providers, so it neither obtains
// tokens nor refreshes them. Who runs the host sets a new one when the old one has
// expired.
//
// # Files
//
// In the folder of a store there are
//
//	credentials      the values, sealed with AES-256-GCM
//	credentials.key  the key, 256 bits
//	credentials.lock held by who writes
//
// The first two have mode 0600, and are refused, on systems that have modes, if
// others can get at them. They protect from who gets hold of one of the two, say in
// a backup; not from who can read both: that is any program of the same user, a
// plugin too.
//
// Neither errors nor what package fmt prints of the types here hold values.
//
// # Limits and sources
//
// A value has up to [MaxValue] bytes, a name [MaxName], and all together [MaxSize]. What is
// written is on the disk, or not there at all, after a crash. The order of resolution and
// the providers are those of the Executa Tools page on credentials; there the values are
// those of a service, here those of this file.
package credentials
