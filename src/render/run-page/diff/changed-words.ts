// Words that differ between a line and the line that replaced it: what is between their common beginning and their common end. In time
// linear in the lines. Pure.

/** From the first to after the last character. */
export type WordSpan = { readonly from: number; readonly to: number };

/** Lines with less in common than this share are two different lines. */
const MIN_COMMON = 0.4;
/** Of one kind each: a word, or white space, or one other character. */
const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;

/** Null where the lines have too little in common, or nothing differs. A span may be empty. */
export function changedWords(
  before: string,
  after: string,
): { readonly before: WordSpan; readonly after: WordSpan } | null {
  const [old, now] = [before.match(WORD) ?? [], after.match(WORD) ?? []];
  const shorter = Math.min(old.length, now.length);
  let [head, tail, headChars, tailChars] = [0, 0, 0, 0];
  while (head < shorter && old[head] === now[head]) headChars += old[head++]?.length ?? 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) {
    tailChars += old.at(-1 - tail)?.length ?? 0;
    tail += 1;
  }
  const longer = Math.max(before.length, after.length);
  const indent = Math.min(before.length - before.trimStart().length, headChars);
  const common = headChars + tailChars - indent;
  if (before === after || common < (longer - indent) * MIN_COMMON) return null;
  return {
    before: { from: headChars, to: before.length - tailChars },
    after: { from: headChars, to: after.length - tailChars },
  };
}
