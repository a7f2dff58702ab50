// Splits Markdown into visible text, code, quotations, raw HTML and hidden parts. Follows CommonMark for lists, quotes,
// fences and HTML blocks. In doubt a part is not text, so that it cannot hold a command. Pure.

/** `raw` is an HTML element whose content is not Markdown. */
type SegmentKind = "text" | "code" | "quote" | "raw" | "hidden";

/** A part of the text. Joined in order, the segments are the text. */
export type Segment = { readonly kind: SegmentKind; readonly text: string };

/** Markers on one line beyond these are its text. */
const MAX_LISTS_ON_LINE = 32;
const MARKER = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;
/** Headings and rules: they end a paragraph, so that no code span continues after them. */
const BREAK = /^ {0,3}(?:#{1,6}(?:\s|$)|(?:[-_*][ \t]*){3,}$|=+[ \t]*$|-+[ \t]*$)/;

type Fence = { readonly mark: string; readonly indent: number; readonly column: number };
type Line = {
  readonly isBlank: boolean;
  readonly isMarked: boolean;
  readonly isBreak: boolean;
  /** The column where the text after the list markers begins. */
  readonly indent: number;
  readonly text: string;
  /** The columns of the list items that begin on this line. */
  readonly columns: readonly number[];
};

/** Splits a text with `\n` line ends. */
export function segmentsOf(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let lists: number[] = [];
  let fence: Fence | null = null;
  let paragraphAt: number | null = null;
  let inQuote = false;
  const unclosed = new Set<RegExp>();

  /** Ends the paragraph before `at`. Returns where to continue: later than `at` if a hidden part of it ends later. */
  const endParagraph = (at: number): number => {
    if (paragraphAt === null) return at;
    const spans = spansOf(text, { start: paragraphAt, end: at, unclosed });
    paragraphAt = null;
    segments.push(...spans.segments);
    return spans.next;
  };

  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = readLine(text.slice(at, newline < 0 ? end : newline));
    if (fence !== null) {
      const isInside: boolean = line.isBlank || ownIndent(text, at) >= fence.column;
      if (isInside) {
        segments.push({ kind: "code", text: text.slice(at, end) });
        if (closes(fence, text.slice(at, end))) fence = null;
        at = end;
        continue;
      }
      fence = null;
    }
    const isPlain = !line.isBlank && !line.isMarked && !line.isBreak;
    const isLazy = isPlain && (paragraphAt !== null || inQuote);
    const column = lists.findLast((start) => start <= ownIndent(text, at)) ?? 0;
    const inner = line.columns.at(-1) ?? column;
    const mark = line.indent - inner <= 3 ? (FENCE.exec(line.text)?.[0] ?? null) : null;
    const isQuoted = line.indent - inner <= 3 && line.text.startsWith(">");
    const startsBlock =
      line.isBlank || line.isMarked || line.isBreak || isQuoted || mark !== null || /^<[!?]/.test(line.text);
    if (startsBlock) {
      const next = endParagraph(at);
      if (next > at) {
        [at, lists, inQuote] = [next, [], false];
        continue;
      }
    }
    if (!line.isBlank && !(isLazy && mark === null)) {
      lists = [...lists.filter((start) => start <= ownIndent(text, at)), ...line.columns];
    }
    if (mark !== null) {
      fence = { mark, indent: line.indent, column: inner };
      inQuote = false;
      segments.push({ kind: "code", text: text.slice(at, end) });
    } else if (line.isBlank) {
      inQuote = false;
      segments.push({ kind: "text", text: text.slice(at, end) });
    } else if (isQuoted || (inQuote && !/^<[!?]/.test(line.text))) {
      inQuote = true;
      segments.push({ kind: "quote", text: text.slice(at, end) });
    } else {
      inQuote = false;
      paragraphAt ??= at;
    }
    at = end;
    if (at >= text.length) at = endParagraph(at);
  }
  return joined(segments);
}

function readLine(line: string): Line {
  let rest = line;
  let indent = 0;
  const columns: number[] = [];
  const isBreak = BREAK.test(line);
  for (let marker = MARKER.exec(rest); marker !== null && !isBreak; marker = MARKER.exec(rest)) {
    if (columns.length === MAX_LISTS_ON_LINE) break;
    indent += widthOf(marker[0], indent);
    columns.push(indent);
    rest = rest.slice(marker[0].length);
  }
  const blanks = /^[ \t]*/.exec(rest)?.[0] ?? "";
  return {
    isBlank: line.trim() === "",
    isMarked: columns.length > 0,
    isBreak,
    indent: indent + widthOf(blanks, indent),
    text: rest.slice(blanks.length),
    columns,
  };
}

function ownIndent(text: string, at: number): number {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end += 1;
  return widthOf(text.slice(at, end), 0);
}

/** The width of the text in columns, from `column` on. A tab reaches to the next multiple of four. */
function widthOf(text: string, column: number): number {
  let at = column;
  for (const char of text) at += char === "\t" ? 4 - (at % 4) : 1;
  return at - column;
}

function closes(fence: Fence, line: string): boolean {
  const run = /^[ \t]*(`+|~+)[ \t]*\n?$/.exec(line)?.[1] ?? "";
  const isLongEnough = run.length >= fence.mark.length && run[0] === fence.mark[0];
  return isLongEnough && ownIndent(line, 0) <= Math.max(fence.column + 3, fence.indent);
}

/** HTML that continues to its own end across blocks. */
const ENCLOSED: readonly { readonly open: RegExp; readonly kind: SegmentKind; readonly close: RegExp }[] = [
  // `<!-->` and `<!--->` are whole comments.
  { open: /<!--/y, kind: "hidden", close: /(?<=<!--)-?>|-->/g },
  { open: /<\?/y, kind: "hidden", close: /\?>/g },
  { open: /<!\[CDATA\[/y, kind: "hidden", close: /\]\]>/g },
  { open: /<![A-Za-z]/y, kind: "hidden", close: />/g },
  {
    open: /<(?:pre|script|style|textarea)(?=[\s>])/iy,
    kind: "raw",
    close: /<\/(?:pre|script|style|textarea)>/gi,
  },
];

/** `unclosed`: the ends of `ENCLOSED` that the rest of the text does not have, so that none is looked for twice. */
type Paragraph = { readonly start: number; readonly end: number; readonly unclosed: Set<RegExp> };

/** The code spans and HTML parts of a paragraph. `next` is past its end when an HTML part continues. */
function spansOf(text: string, { start, end, unclosed }: Paragraph): { segments: Segment[]; next: number } {
  const segments: Segment[] = [];
  let from = start;
  const paragraph = text.slice(start, end);
  const closingRuns = backtickRuns(paragraph);
  const notable = /\\[\\`<]|`+|</g;
  for (let match = notable.exec(paragraph); match !== null; match = notable.exec(paragraph)) {
    const at = start + match.index;
    const part =
      match[0][0] === "`"
        ? codeSpan(closingRuns, { at: match.index, length: match[0].length, start })
        : match[0] === "<"
          ? enclosed(text, at, unclosed)
          : null;
    if (part === null) continue;
    segments.push({ kind: "text", text: text.slice(from, at) });
    segments.push({ kind: part.kind, text: text.slice(at, part.end) });
    from = part.end;
    if (from >= end) return { segments, next: from };
    notable.lastIndex = from - start;
  }
  segments.push({ kind: "text", text: text.slice(from, end) });
  return { segments, next: end };
}

type Part = { readonly kind: SegmentKind; readonly end: number };

/** Beginnings of the runs of backticks of each length, the first of them last. */
function backtickRuns(paragraph: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of [...paragraph.matchAll(/`+/g)].reverse()) {
    const places = runs.get(run.length);
    if (places === undefined) runs.set(run.length, [index]);
    else places.push(index);
  }
  return runs;
}

/** Takes the runs that are passed from `runs`: the spans of a paragraph are looked for in their order. */
function codeSpan(
  runs: ReadonlyMap<number, number[]>,
  span: { at: number; length: number; start: number },
): Part | null {
  const places = runs.get(span.length) ?? [];
  while ((places.at(-1) ?? Number.POSITIVE_INFINITY) < span.at + span.length) places.pop();
  const closer = places.at(-1);
  return closer === undefined ? null : { kind: "code", end: span.start + closer + span.length };
}

function enclosed(text: string, at: number, unclosed: Set<RegExp>): Part | null {
  for (const { open, kind, close } of ENCLOSED) {
    open.lastIndex = at;
    if (!open.test(text)) continue;
    close.lastIndex = open.lastIndex;
    open.lastIndex = 0;
    const ended = unclosed.has(close) ? null : close.exec(text);
    close.lastIndex = 0;
    if (ended !== null) return { kind, end: ended.index + ended[0].length };
    unclosed.add(close);
    // Without an end, a comment hides the rest of the text; the others do so only at the beginning of a line.
    const beginsLine = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 100), at));
    return beginsLine || text.startsWith("<!--", at) ? { kind, end: text.length } : null;
  }
  return null;
}

function joined(segments: readonly Segment[]): readonly Segment[] {
  const whole: Segment[] = [];
  for (const { kind, text } of segments) {
    const last = whole.at(-1);
    if (text === "") continue;
    if (last?.kind === kind) whole[whole.length - 1] = { kind, text: last.text + text };
    else whole.push({ kind, text });
  }
  return whole;
}
