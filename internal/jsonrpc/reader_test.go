package jsonrpc_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// lines returns what a reader finds: lines, and sizes of those left out.
func lines(t *testing.T, r io.Reader, max int) (list []string, tooLong []int64) {
	t.Helper()
	reader := jsonrpc.NewReader(r, max)
	for {
		line, err := reader.Next()
		if e, ok := errors.AsType[*jsonrpc.LineError](err); ok {
			tooLong = append(tooLong, e.Size)
			continue
		}
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return list, tooLong
		}
		list = append(list, string(line))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 50)
	tests := []struct {
		name, in string
		want     []string
		tooLong  []int64
	}{
		{"empty", "", nil, nil},
		{"lines", "a\nb\n", []string{"a", "b"}, nil},
		{"CRLF", "a\r\n\r\nb\r\n", []string{"a", "b"}, nil},
		{"B55 no LF at the end", "a\nb", []string{"a", "b"}, nil},
		{"no LF at the end but CR", "a\r", []string{"a"}, nil},
		{"empty lines", "\n\n\na\n\n", []string{"a"}, nil},
		{"byte order mark", "\uFEFFa\n\uFEFFb\n", []string{"a", "\uFEFFb"}, nil},
		{"only a byte order mark", "\uFEFF\na\n", []string{"a"}, nil},
		{"at the limit", long + "\n" + long + "\r\n" + long, []string{long, long, long}, nil},
		{"one past it", long + "x\na\n" + long + "x\r\nb\n" + long + "x", []string{"a", "b"}, []int64{51, 51, 51}},
		{"far past it", strings.Repeat("x", 100_000) + "\nb\n", []string{"b"}, []int64{100_000}},
		{"CR in a line", "a\rb\n", []string{"a\rb"}, nil},
		{"B45", "—\n漢字\r\n🔧\n", []string{"—", "漢字", "🔧"}, nil},
	}
	for _, tt := range tests {
		for how, r := range map[string]io.Reader{
			"whole":        strings.NewReader(tt.in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)),
			"halves":       iotest.HalfReader(strings.NewReader(tt.in)),
			"data and EOF": iotest.DataErrReader(strings.NewReader(tt.in)),
		} {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				list, tooLong := lines(t, r, 50)
				if diff := cmp.Diff(tt.want, list); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.tooLong, tooLong); diff != "" {
					t.Errorf("sizes of those left out (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestReaderErrors(t *testing.T) {
	boom := errors.New("boom")
	r := jsonrpc.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)), 10)
	for _, want := range []string{"a", "b"} {
		if line, err := r.Next(); string(line) != want || err != nil {
			t.Errorf("%q, %v", line, err)
		}
	}
	for range 2 {
		if _, err := r.Next(); err != boom {
			t.Errorf("error is %v", err)
		}
	}
	r = jsonrpc.NewReader(lazy{}, 10)
	if _, err := r.Next(); err != io.ErrNoProgress {
		t.Errorf("error is %v", err)
	}
}

// lazy reads nothing.
type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }

func TestLineErrorHead(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	tests := []struct {
		name, line string
		id         string
		request    bool
	}{
		{"id first", `{"jsonrpc":"2.0","id":7,"result":{"a":"` + long + `"}}`, "7", false},
		{"id last", `{"result":{"a":"` + long + `"},"id":7}`, "7", false},
		{"id and version last", `{"result":{"a":"` + long + `"}, "id": "7", "jsonrpc": "2.0" } `, `"7"`, false},
		{"id of a result", `{"result":{"a":"` + long + `","id":7}}`, "", false},
		{"id within text", `{"result":"` + long + `,\"id\":7}"}`, "", false},
		{"request", `{"id":"r1","method":"storage/set","params":{"v":"` + long + `"}}`, `"r1"`, true},
		{"method last", `{"params":{"v":"` + long + `"},"method":"m","id":"r1"}`, `"r1"`, true},
		{"cut in the id", `{"a":"` + strings.Repeat("x", 4096-14) + `","id":123456,"b":"` + long + `"}`, "", false},
		{"id is huge", `{"id":"` + long + `"}`, "", false},
		{"noise", long, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := jsonrpc.NewReader(strings.NewReader(tt.line+"\n"), 5000).Next()
			e, ok := errors.AsType[*jsonrpc.LineError](err)
			if !ok {
				t.Fatalf("error is %v", err)
			}
			m := e.Head()
			if string(m.ID) != tt.id || m.HasMethod != tt.request {
				t.Errorf("id %s, request %v; want %s, %v", m.ID, m.HasMethod, tt.id, tt.request)
			}
			if want := int64(len(tt.line)); e.Size != want || !strings.HasPrefix(tt.line, string(e.Prefix)) || !strings.HasSuffix(tt.line, string(e.Suffix)) {
				t.Errorf("size %d, want %d", e.Size, want)
			}
		})
	}
}

// A long line does not stay in memory.
func TestReaderGivesMemoryBack(t *testing.T) {
	const size = 64 << 20
	r := jsonrpc.NewReader(io.MultiReader(strings.NewReader(strings.Repeat("x", size)+"\nshort\n"), strings.NewReader("end\n")), size)
	for range 2 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	r = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(before.HeapAlloc) - int64(after.HeapAlloc); held > 1<<20+size { // the text itself is size
		t.Errorf("%d bytes were held", held)
	}
}

// What is not LF is in a line, whatever the reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\uFEFFc"), uint8(3), uint8(2))
	f.Add([]byte("\uFEFFabcdefgh\r\nx"), uint8(1), uint8(5))
	f.Fuzz(func(t *testing.T, in []byte, size, max uint8) {
		want, wantLong := []string(nil), []int64(nil)
		for i, line := range strings.Split(string(in), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if len(line) > int(max) {
				wantLong = append(wantLong, int64(len(line)))
				continue
			}
			if i == 0 {
				line = strings.TrimPrefix(line, "\uFEFF")
			}
			if line != "" {
				want = append(want, line)
			}
		}
		list, tooLong := lines(t, &chunks{bytes.NewReader(in), int(size) + 1}, int(max))
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantLong, tooLong); diff != "" {
			t.Errorf("sizes (-want +got):\n%s", diff)
		}
	})
}

// chunks reads at most size bytes at once.
type chunks struct {
	r    io.Reader
	size int
}

func (c *chunks) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.size)]) }
