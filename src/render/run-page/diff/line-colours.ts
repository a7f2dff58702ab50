// The colours of a line of a diff: which parts of its text are what, and the elements for them. The text itself stays. Pure.

import { type Contents, el } from "../../html/element.ts";

/** A comment, a string, a number or another constant, a keyword, and a name: of a function, a key, an attribute. */
export type ColourKind = "comment" | "string" | "constant" | "keyword" | "name";

/** A part of a line, from its first to after its last character. */
export type ColourSpan = { readonly from: number; readonly to: number; readonly kind: ColourKind };

/** The colours of one file. To be asked for its lines in their order: a comment or a string may go on in the next one. */
export interface LineColours {
  /** The lines that follow are from another place. */
  begin(): void;
  /** In their order, none over another. */
  spansOf(side: "removed" | "added" | "same", text: string): readonly ColourSpan[];
}

/** The colours of a file by its path; null where it has none. */
export type DiffColours = (path: string) => LineColours | null;

/** Short, for there are thousands on a page. */
const classes: Readonly<Record<ColourKind, string>> = {
  comment: "c",
  string: "s",
  constant: "n",
  keyword: "k",
  name: "f",
};

/** The parts of a line, each with the spans in it. */
export function colouredParts(
  parts: readonly string[],
  spans: readonly ColourSpan[],
): readonly (readonly Contents[])[] {
  let start = 0;
  let next = 0;
  return parts.map((part) => {
    const pieces: Contents[] = [];
    let at = 0;
    while (at < part.length) {
      const span = spans[next];
      const from = span === undefined ? part.length : Math.min(part.length, Math.max(at, span.from - start));
      if (from > at) pieces.push(part.slice(at, from));
      if (span === undefined || from === part.length) break;
      const to = Math.min(part.length, span.to - start);
      if (to > from) pieces.push(el("span", { class: classes[span.kind] }, part.slice(from, to)));
      at = Math.max(from, to);
      // It may go on in the next part.
      if (span.to - start > part.length) break;
      next += 1;
    }
    start += part.length;
    return pieces;
  });
}
