package bundled_test

import (
	"bytes"
	"fmt"
	"testing"
)

func pdfKit(t *testing.T) func(*testing.T) box {
	need(t, "pdfinfo", "pdftotext", "pdftoppm", "pdfimages", "pdffonts", "pdfunite", "pdfseparate", "qpdf")
	return func(*testing.T) box {
		return box{
			env: []string{"PDF_PASSWORD=correct horse"},
			files: map[string][]byte{
				"report.pdf": pdf("Annual report of a company", "Sum total of page two: 42 EUR", "scan"),
				"a.pdf":      pdf("The first file"),
				"b.pdf":      pdf("The second file, one", "The second file, two"),
			},
		}
	}
}

// pdf returns a PDF file with a page for each text, which must not hold
// parentheses or backslashes, and a picture on each page.
func pdf(pages ...string) []byte {
	var (
		out     bytes.Buffer
		offsets []int
	)
	object := func(format string, args ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	stream := func(dict, data string) {
		object("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
	}
	const first = 5 // the number of the first page's object; its content follows
	var kids string
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", first+2*i)
	}
	out.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [ %s] /Count %d >>", kids, len(pages))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x00\xff\xff\x00")
	for i, text := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"+
			" /Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> >>", first+2*i+1)
		stream("", fmt.Sprintf("BT /F 14 Tf 72 700 Td (%s) Tj ET q 20 0 0 20 72 600 cm /I Do Q", text))
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return out.Bytes()
}
