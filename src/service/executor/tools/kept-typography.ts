// New text in the typography of the text that it replaces, where a model has written both with straight quotes, plain dashes and
// plain blanks: what stays is as the file has it, and new quotes are like those beside them. Pure.

import { foldText } from "./folded-text.ts";

type ReplacedText = {
  /** As the file has it. It is `oldText` but for its typography. */
  readonly own: string;
  readonly oldText: string;
  readonly newText: string;
};

export function keepTypography({ own, oldText, newText }: ReplacedText): string {
  const before = sharedStart(oldText, newText);
  const after = sharedEnd(oldText.slice(before), newText.slice(before));
  const file = foldText(own);
  const start = file.offset(foldedLength(oldText.slice(0, before)));
  const end = file.offset(file.text.length - foldedLength(oldText.slice(oldText.length - after)));
  const changed = withQuotesOf(own, { newText, from: before, to: newText.length - after });
  return own.slice(0, start) + changed + own.slice(end);
}

function foldedLength(text: string): number {
  return foldText(text).text.length;
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  while (length > 0 && (isWithinLetter(one, length) || isWithinLetter(other, length))) length -= 1;
  return length;
}

function sharedEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length))
    length += 1;
  const cuts = (text: string) => isWithinLetter(text, text.length - length);
  while (length > 0 && (cuts(one) || cuts(other))) length -= 1;
  return length;
}

/** What stands there belongs to the letter before it: a mark, or half of a character. */
function isWithinLetter(text: string, at: number): boolean {
  return /^(?:\p{M}|[\udc00-\udfff])/u.test(text.slice(at, at + 2)) || /[\udc00-\udfff]/.test(text[at] ?? "");
}

/** The part of `newText`, with curly quotes where `own` has no others. */
function withQuotesOf(
  own: string,
  { newText, from, to }: { readonly newText: string; readonly from: number; readonly to: number },
): string {
  const hasCurlyAlone = /[“”„]/.test(own) && !own.includes('"');
  const hasCurlyApostrophes = own.includes("’") && !own.includes("'");
  const [opening, closing] = own.includes("„") ? ["„", "“"] : ["“", "”"];
  const signs = Array.from({ length: to - from }, (_, index) => {
    const at = from + index;
    const sign = newText[at] ?? "";
    const before = newText[at - 1] ?? " ";
    if (sign === '"' && hasCurlyAlone) return /[\s([{<‘—–-]/.test(before) ? opening : closing;
    const isApostrophe = /\p{L}/u.test(before) && /\p{L}/u.test(newText[at + 1] ?? "");
    return sign === "'" && hasCurlyApostrophes && isApostrophe ? "’" : sign;
  });
  return signs.join("");
}
