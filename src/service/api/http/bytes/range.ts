// The header Range (RFC 9110 §14.2), one range of bytes. Pure.

/** From `start` up to, and not including, `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The range that a header asks for of so many bytes; "whole" where there is none, for units other than bytes and for
 * several ranges; "unsatisfiable" where it is malformed, or begins after the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" {
  const [, spec] = /^bytes=(.*)$/i.exec(header ?? "") ?? [];
  if (spec === undefined || spec.includes(",")) return "whole";
  const [, first = "", last = ""] = /^\s*(\d*)-(\d*)\s*$/.exec(spec) ?? [];
  if (first === "" && last === "") return "unsatisfiable";
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : "unsatisfiable";
}
