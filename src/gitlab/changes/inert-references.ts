// Text of an agent that closes no issue: GitLab's pattern takes more words than GitHub's, and "issue" before the number.
// https://docs.gitlab.com/user/project/issues/managing_issues/#default-closing-pattern (2026-11-29). Pure.

const CLOSING =
  /\b(clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(:? {1,20})(?=(?:issues? {1,20})?[\\[<*_]{0,4}(?:[\w./-]{0,200}\\?#\d|https?:))/gi;

export function withoutClosingWords(text: string): string {
  return text.replace(CLOSING, "$1$2the ");
}

/** A title names no merge request: each reference is written into its history. */
export function withoutMergeRequests(title: string): string {
  return title.replace(/!(?=\d)/g, "No. ");
}
