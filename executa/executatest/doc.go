// Package executatest helps to test what speaks the Executa protocol: hosts and
// host services against a scripted plugin, and plugins against what a host does.
//
// # A plugin for the tests of hosts
//
// A [Plugin] is a plugin written in Go. The test binary runs itself again to be
// one, so that it is a real process, without a program to build:
//
//	func TestMain(m *testing.M) {
//		os.Exit(executatest.Run(m, executatest.Programs{"notes": notes}))
//	}
//
//	func notes() {
//		p := &executatest.Plugin{Tools: map[string]executatest.Tool{
//			"add": func(ctx context.Context, call *executatest.Call) (any, error) {
//				return call.Reverse(ctx, "storage/set", map[string]any{"scope": "tool", "key": "n", "value": 1})
//			},
//		}}
//		p.Main()
//	}
//
//	func TestNotes(t *testing.T) {
//		p, err := executa.Start(t.Context(), executatest.Spec("notes"), &executa.Options{
//			Services: map[string]executa.Service{"storage/set": set},
//		})
//		…
//	}
//
// Its [Plugin.Raw] sees each line before anything else does and may write anything,
// which is how a plugin that breaks the protocol is made.
//
// [Plugin.Serve] does without a process: it serves any reader and writer.
//
// # A conformance run for plugins
//
// [TestPlugin] runs any plugin, in whatever language, through the checks of package
// doctor, with a subtest for each:
//
//	func TestConformance(t *testing.T) {
//		target := doctor.Target{Spec: executa.Spec{Dir: "."}, Tool: "add"}
//		executatest.TestPlugin(t, target, &doctor.Options{Environ: os.Environ()})
//	}
//
// # Concurrency and limits
//
// A [Plugin] gives each call a goroutine and may be served more than once, also at the
// same time. The methods of a [Call] may be called by several goroutines. Lines are read
// up to [executa.DefaultMaxLine]; of what is written, what exceeds [Plugin.Inline] goes by
// file.
package executatest
