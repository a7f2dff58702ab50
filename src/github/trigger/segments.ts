// Splits Markdown into visible text, code, quotations, raw HTML and hidden parts. Follows CommonMark for lists, quotes,
// fences and HTML blocks. In doubt a part is not text, so that it cannot hold a command. Pure.

/** `raw` is an HTML element whose content is not Markdown. */
export type SegmentKind = "text" | "code" | "quote" | "raw" | "hidden";

/** A part of the text. Joined in order, the segments are the text. */
export type Segment = { readonly kind: SegmentKind; readonly text: string };

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

  /** Ends the paragraph before `at`. Returns where to continue: later than `at` if a hidden part of it ends later. */
  const endParagraph = (at: number): number => {
    if (paragraphAt === null) return at;
    const spans = spansOf(text, { start: paragraphAt, end: at });
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

/** The code spans and HTML parts of a paragraph. `next` is past its end when an HTML part continues. */
function spansOf(
  text: string,
  { start, end }: { start: number; end: number },
): { segments: Segment[]; next: number } {
  const segments: Segment[] = [];
  let from = start;
  const notable = /\\[\\`<]|`+|</g;
  notable.lastIndex = start;
  for (let match = notable.exec(text); match !== null && match.index < end; match = notable.exec(text)) {
    const part =
      match[0][0] === "`"
        ? codeSpan(text, { at: match.index, run: match[0], end })
        : match[0] === "<"
          ? enclosed(text, match.index)
          : null;
    if (part === null) continue;
    segments.push({ kind: "text", text: text.slice(from, match.index) });
    segments.push({ kind: part.kind, text: text.slice(match.index, part.end) });
    from = part.end;
    if (from >= end) return { segments, next: from };
    notable.lastIndex = from;
  }
  segments.push({ kind: "text", text: text.slice(from, end) });
  return { segments, next: end };
}

type Part = { readonly kind: SegmentKind; readonly end: number };

function codeSpan(text: string, span: { at: number; run: string; end: number }): Part | null {
  const runs = /`+/g;
  runs.lastIndex = span.at + span.run.length;
  for (let match = runs.exec(text); match !== null && match.index < span.end; match = runs.exec(text)) {
    if (match[0].length === span.run.length) return { kind: "code", end: match.index + match[0].length };
  }
  return null;
}

function enclosed(text: string, at: number): Part | null {
  for (const { open, kind, close } of ENCLOSED) {
    open.lastIndex = at;
    if (!open.test(text)) continue;
    close.lastIndex = open.lastIndex;
    open.lastIndex = 0;
    const ended = close.exec(text);
    close.lastIndex = 0;
    if (ended !== null) return { kind, end: ended.index + ended[0].length };
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
