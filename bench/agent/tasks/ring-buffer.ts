// A ring buffer in Go: values in the wrong order.

import type { FixTask } from "../task.ts";

export const ringBuffer: FixTask = {
  kind: "bug_report",
  toolchain: "go",
  term: "Values",
  prompt:
    "Bug report: after adding 1, 2, 3, 4 to a buffer for three values, Values() gives [4 2 3]. It should give the oldest first: [2 3 4]. Before the buffer is full it gives zeros that nobody added. Fix it.",
  files: {
    "go.mod": `module example.com/ring

go 1.18
`,
    "ring.go": `package ring

// Buffer keeps the last values, as many as it was made for.
type Buffer struct {
	values []int
	next   int
	full   bool
}

func New(size int) *Buffer {
	return &Buffer{values: make([]int, size)}
}

func (b *Buffer) Add(value int) {
	b.values[b.next] = value
	b.next = (b.next + 1) % len(b.values)
	if b.next == 0 {
		b.full = true
	}
}

// Values are oldest first.
func (b *Buffer) Values() []int {
	return b.values
}
`,
    "ring_test.go": `package ring

import "testing"

func TestFull(t *testing.T) {
	b := New(2)
	b.Add(1)
	b.Add(2)
	if got := b.Values(); got[0] != 1 || got[1] != 2 {
		t.Fatal(got)
	}
}
`,
  },
  test: ["go", "test", "./..."],
  check: {
    "check_test.go": `package ring

import (
	"reflect"
	"testing"
)

func TestHidden(t *testing.T) {
	b := New(3)
	if len(b.Values()) != 0 {
		t.Fatal("it is empty")
	}
	for value, want := range [][]int{{0}, {0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3, 4}} {
		b.Add(value)
		if got := b.Values(); !reflect.DeepEqual(got, want) {
			t.Fatalf("want %v, got %v", want, got)
		}
	}
}
`,
  },
  command: ["go", "test", "-count=1", "./..."],
  solution: {
    "ring.go": `package ring

// Buffer keeps the last values, as many as it was made for.
type Buffer struct {
	values []int
	next   int
	full   bool
}

func New(size int) *Buffer {
	return &Buffer{values: make([]int, size)}
}

func (b *Buffer) Add(value int) {
	b.values[b.next] = value
	b.next = (b.next + 1) % len(b.values)
	if b.next == 0 {
		b.full = true
	}
}

// Values are oldest first.
func (b *Buffer) Values() []int {
	if !b.full {
		return append([]int{}, b.values[:b.next]...)
	}
	return append(append([]int{}, b.values[b.next:]...), b.values[:b.next]...)
}
`,
  },
};
