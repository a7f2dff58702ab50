// Words as a sentence lists them. Pure.

/** "GitHub, GitLab and CircleCI". */
export function joinWords(words: readonly string[], conjunction: "and" | "or" = "and"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}
