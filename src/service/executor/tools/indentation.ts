// The indentation of a text that follows from that of a file whose lines are the same otherwise. Pure.

export type IndentPair = {
  /** As the caller wrote it. */
  readonly given: string;
  /** As the file has it. */
  readonly own: string;
};

/**
 * Rewrites lines with the file's indentation. Null where no one rule leads from each line's given indentation to its own: to guess
 * would break languages in which indentation counts.
 */
export function indentationRule(
  pairs: readonly IndentPair[],
  fileText: string,
): ((line: string) => string) | null {
  const blank = pairs.find(({ own }) => own !== "")?.own.charAt(0) ?? usualBlank(fileText);
  if (pairs.some(({ own }) => own !== blank.repeat(own.length))) return exactRule(pairs);
  const points = pairs.map(({ given, own }) => ({ from: widthOf(given), to: own.length }));
  const line = lineThrough(points, blank === "\t" ? 1 / unitOf(pairs.map(({ given }) => given)) : null);
  if (line === null) return exactRule(pairs);
  return (text) => {
    const indent = indentOf(text);
    if (text.length === indent.length) return text;
    return blank.repeat(Math.max(0, Math.round(line(widthOf(indent))))) + text.slice(indent.length);
  };
}

export function indentOf(line: string): string {
  return /^[\t ]*/.exec(line)?.[0] ?? "";
}

/** Only indentations that are known, each always with the same counterpart. */
function exactRule(pairs: readonly IndentPair[]): ((line: string) => string) | null {
  const known = new Map<string, string>();
  for (const { given, own } of pairs) {
    if (known.has(given) && known.get(given) !== own) return null;
    known.set(given, own);
  }
  return (text) => {
    const indent = indentOf(text);
    const own = known.get(indent);
    return own === undefined ? text : own + text.slice(indent.length);
  };
}

type Point = { readonly from: number; readonly to: number };

/** Null where the points are not on one line. `slope` is for one point alone. */
function lineThrough(points: readonly Point[], slope: number | null): ((width: number) => number) | null {
  const first = points[0];
  if (first === undefined) return null;
  const second = points.find(({ from }) => from !== first.from);
  const rise = second === undefined ? (slope ?? 1) : (second.to - first.to) / (second.from - first.from);
  const line = (width: number) => first.to + rise * (width - first.from);
  return points.every(({ from, to }) => Math.abs(line(from) - to) < 0.01) ? line : null;
}

const TAB_WIDTH = 4;

function widthOf(indent: string): number {
  return [...indent].reduce((width, blank) => width + (blank === "\t" ? TAB_WIDTH : 1), 0);
}

/** The smallest indentation but none. */
function unitOf(indents: readonly string[]): number {
  const widths = indents.map(widthOf).filter((width) => width > 0);
  return widths.length === 0 ? TAB_WIDTH : Math.min(...widths);
}

function usualBlank(text: string): string {
  return /^\t/m.test(text) ? "\t" : " ";
}
