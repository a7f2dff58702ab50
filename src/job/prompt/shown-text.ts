// The part of a text of others that a prompt shows: what a reader of the page sees of it, within a bound. Pure.

import { excerpt } from "../../base/bounded-text.ts";
import { sanitise } from "./sanitise.ts";

const READ_PER_SHOWN_CHAR = 2;

/** A text far beyond the bound is not even read: hidden parts can take as much room as the visible ones, and no more. */
export function shownText(text: string, maxChars: number): string {
  const read = excerpt(text, maxChars * READ_PER_SHOWN_CHAR);
  const { text: head, omittedChars } = excerpt(sanitise(read.text).trim(), maxChars);
  const omitted = omittedChars + read.omittedChars;
  return omitted === 0 ? head : `${head}\n… ${omitted} more characters`;
}
