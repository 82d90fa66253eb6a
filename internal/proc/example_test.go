package proc_test

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

func Example() {
	cmd := exec.Command("go", "version")
	if err := proc.Run(context.Background(), cmd, 5*time.Second); err != nil {
		fmt.Println(err)
	}
	fmt.Println(cmd.ProcessState)
	// Output: exit status 0
}
