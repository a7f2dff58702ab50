// Counted words in Go: punctuation stays at the words.

import type { FixTask } from "../task.ts";

export const wordCount: FixTask = {
  kind: "failing_test",
  toolchain: "go",
  term: "Count",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "go.mod": `module example.com/words

go 1.18
`,
    "words.go": `package words

import "strings"

// Count says how often each word stands in a text, in lower case and without punctuation.
func Count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(text) {
		counts[strings.ToLower(word)]++
	}
	return counts
}
`,
    "words_test.go": `package words

import "testing"

func TestCount(t *testing.T) {
	if got := Count("Yes, yes. No!")["yes"]; got != 2 {
		t.Fatalf("yes stands there twice, counted %d", got)
	}
}
`,
  },
  test: ["go", "test", "./..."],
  check: {
    "check_test.go": `package words

import "testing"

func TestHidden(t *testing.T) {
	counts := Count("Yes, yes. (No!) don't stop; été")
	for word, want := range map[string]int{"yes": 2, "no": 1, "don't": 1, "stop": 1, "été": 1} {
		if counts[word] != want {
			t.Errorf("%s: want %d, got %d", word, want, counts[word])
		}
	}
	if len(Count(" - ")) != 0 {
		t.Error("punctuation alone is no word")
	}
}
`,
  },
  command: ["go", "test", "-count=1", "./..."],
  solution: {
    "words.go": `package words

import (
	"strings"
	"unicode"
)

// Count says how often each word stands in a text, in lower case and without punctuation.
func Count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.FieldsFunc(text, isBetween) {
		counts[strings.ToLower(word)]++
	}
	return counts
}

func isBetween(char rune) bool {
	return !unicode.IsLetter(char) && !unicode.IsDigit(char) && char != '\\''
}
`,
  },
};
