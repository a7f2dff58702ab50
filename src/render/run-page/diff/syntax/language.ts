// A language as the scanner of lines knows it: what begins and ends its comments and strings, and its words. Pure.

import type { ColourKind } from "../line-colours.ts";

/** A comment or a string. */
export type Delimited = {
  readonly open: string;
  /** Null: the end of the line. */
  readonly close: string | null;
  readonly kind: Extract<ColourKind, "comment" | "string">;
  /** Whether it may go on in the next line. */
  readonly spansLines: boolean;
  /** Whether a backslash takes the next character's meaning. */
  readonly hasEscapes: boolean;
  /** Opens only at the line's begin, after white space or after one of these. Null: anywhere. */
  readonly after: string | null;
};

export type Language = {
  readonly delimited: readonly Delimited[];
  /** The first characters of what opens them. */
  readonly opening: string;
  readonly keywords: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** Letters of names beside those of most languages. */
  readonly nameChars: string;
  /** Whether words are the same in capitals. */
  readonly ignoresCase: boolean;
  /** What ends a key at the begin of a line, such as `:`. Null: it has no such keys. */
  readonly keyEnd: string | null;
  /** Whether tags are colored, and text between them is not. */
  readonly isMarkup: boolean;
  /** Whether `/` may begin a regular expression. */
  readonly hasRegex: boolean;
  /** Whether `'` is a string of one character, or else nothing: a lifetime, a digit separator. */
  readonly hasChars: boolean;
};

type Words = Partial<Omit<Language, "opening" | "keywords" | "constants">> & {
  readonly keywords?: string;
  readonly constants?: string;
};

export function language({ keywords = "", constants = "", delimited = [], ...given }: Words): Language {
  return {
    delimited,
    opening: delimited.map(({ open }) => open.charAt(0)).join(""),
    nameChars: "",
    ignoresCase: false,
    keyEnd: null,
    isMarkup: false,
    hasRegex: false,
    hasChars: false,
    ...given,
    keywords: new Set(keywords.split(" ")),
    constants: new Set(constants.split(" ")),
  };
}

export function lineComment(open: string, after: string | null = null): Delimited {
  return { open, close: null, kind: "comment", spansLines: false, hasEscapes: false, after };
}

export function blockComment(open: string, close: string): Delimited {
  return { open, close, kind: "comment", spansLines: true, hasEscapes: false, after: null };
}

export function string(quote: string, options: Partial<Omit<Delimited, "open" | "kind">> = {}): Delimited {
  return {
    open: quote,
    close: quote,
    kind: "string",
    spansLines: false,
    hasEscapes: true,
    after: null,
    ...options,
  };
}
