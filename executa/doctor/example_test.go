package doctor_test

import (
	"context"
	"fmt"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/doctor"
)

// A plugin that cannot be started is a report too.
func ExampleRun() {
	target := doctor.Target{Spec: executa.Spec{ID: "notes", Command: []string{"/no/such/program"}}}
	report, err := doctor.Run(context.Background(), target, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := report.Check("start")
	fmt.Println(report.Works, c.State)
	fmt.Println(c.Repair)
	// Output:
	// false fault
	// correct the command, or install the program: it is looked up on PATH unless it holds a separator
}
