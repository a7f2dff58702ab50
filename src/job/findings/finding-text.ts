// Findings as Markdown: the comments at lines, and the review's own text with the findings that have no line in the diff.
// The agent's text is made inert. Pure.

import { byteLength, SectionRoom } from "../../base/bounded-text.ts";
import { singleLine, visibleText } from "../../base/untrusted-text.ts";
import { blobUrl } from "../../render/blob-url.ts";
import { severityIcons } from "../../render/findings-table.ts";
import { inertMarkdown } from "../../render/inert-markdown.ts";
import { escapeMarkdown, fence, link, untrustedFence } from "../../render/markdown.ts";
import { plural } from "../../render/quantities.ts";
import { type Finding, placeOf, type Severity, severityCounts } from "../../report/findings.ts";
import { anchorMarker, headMarker, type MarkedFinding, reviewMarker } from "./marker.ts";

/** GitHub takes 65,536 characters. */
export const MAX_REVIEW_BYTES = 60_000;
const MAX_TITLE_CHARS = 200;
const MAX_PLACE_CHARS = 160;
/** Of a comment: its text and its suggestion, each. */
const MAX_PART_BYTES = 16_384;
const BODY_CUT = "*The text is cut here. The whole of it is in the reply file.*";
const SUGGESTION_HIDDEN = "*The suggestion holds invisible characters, so it cannot be applied.*";
const SUGGESTION_LONG = "*The suggestion is too long for a comment. It is in the reply file.*";

/** How a code host reads a comment, and how much of one it takes. */
export type CommentForm = {
  /** Of a comment: its text and its suggestion, each. Left out: GitHub's. */
  readonly maxPartBytes?: number;
  /** Of a review's own text. Left out: GitHub's. */
  readonly maxReviewBytes?: number;
  /** The words after the fence of lines that replace those of the comment. Null where this text cannot be such lines. */
  readonly suggestion: (lines: Pick<Finding, "startLine" | "line">, text: string) => string | null;
  /** The text without what the code host would execute. */
  readonly inert: (text: string) => string;
};

const githubForm: CommentForm = { suggestion: () => "suggestion", inert: (text) => text };

/** A comment at lines that the diff shows. */
export function commentText(finding: MarkedFinding, headSha: string, form: CommentForm = githubForm): string {
  const said = form.inert(sections([headOf(finding), bodyOf(finding, form)]));
  return `${sections([said, suggestionOf(finding, form)])}\n\n${markersOf(finding, headSha)}`;
}

function markersOf(finding: MarkedFinding, headSha: string): string {
  return `${anchorMarker(finding, headSha)}\n${finding.marker}`;
}

type ReviewTextOptions = {
  readonly runId: string;
  readonly headSha: string;
  /** Findings with a comment at their lines. */
  readonly inside: readonly Finding[];
  /** Findings without one: they go into the text, as many as fit. */
  readonly outside: readonly MarkedFinding[];
  /** The count that an earlier review has published. */
  readonly repeated: number;
  /** Markers of what became of earlier findings. */
  readonly closed: readonly string[];
  /** The address of the file at the commit that was reviewed: ".../blob/<sha>". */
  readonly filesUrl: string;
  readonly form?: CommentForm;
};

/** The review's own text, and the findings that did not fit. */
export function reviewText(options: ReviewTextOptions): { text: string; left: readonly Finding[] } {
  const { runId, headSha, inside, outside, repeated, closed, filesUrl, form = githubForm } = options;
  const { maxReviewBytes = MAX_REVIEW_BYTES } = form;
  const all = [...inside, ...outside];
  const again = repeated === 0 ? "" : ` Published before, and not repeated: ${repeated}.`;
  const head = `**${plural(all.length, "finding")}**: ${severityCounts(all)}.${again}`;
  const room = new SectionRoom(maxReviewBytes - byteLength([head, ...closed].join("\n")) - 384);
  const shown: string[] = [];
  const markers: string[] = [];
  const left: Finding[] = [];
  for (const finding of outside) {
    const marker = markersOf(finding, headSha);
    const place = link(singleLine(placeOf(finding), MAX_PLACE_CHARS), blobUrl(filesUrl, finding));
    const text = form.inert(
      sections([`${headOf(finding)} · ${place}`, bodyOf(finding, form), plainSuggestion(finding, form)]),
    );
    // A finding is shown with its marker or not at all.
    const isTaken = room.bytes >= byteLength(text) + byteLength(marker) + 4;
    if (!isTaken) left.push(finding);
    else {
      shown.push(room.take(text));
      markers.push(room.take(marker));
    }
  }
  const title = shown.length === 0 ? "" : "### At lines that the diff does not show";
  const text = `${sections([head, title, ...shown])}\n\n${[...markers, ...closed, headMarker(headSha), reviewMarker(runId)].join("\n")}`;
  return { text, left };
}

function headOf({ severity, title }: Finding): string {
  return `${rowStart(severity)}${escapeMarkdown(title, MAX_TITLE_CHARS)}**`;
}

/** The beginning of a comment; its title follows. */
export function rowStart(severity: Severity): string {
  const word = severity.charAt(0).toUpperCase() + severity.slice(1);
  return `**${severityIcons[severity]} ${word}: `;
}

function bodyOf({ body }: Finding, { maxPartBytes = MAX_PART_BYTES }: CommentForm): string {
  const { text, wasCut } = inertMarkdown(body, maxPartBytes);
  return sections([text, wasCut ? BODY_CUT : ""]);
}

/** A block that replaces the lines as it is. One with invisible characters is shown, but cannot be applied. */
function suggestionOf(finding: Finding, form: CommentForm): string {
  const text = plainLines(finding.suggestion);
  if (text === null) return "";
  if (byteLength(text) > (form.maxPartBytes ?? MAX_PART_BYTES)) return SUGGESTION_LONG;
  if (visibleText(text) !== text) return sections([untrustedFence(text), SUGGESTION_HIDDEN]);
  const words = form.suggestion(finding, text);
  if (words === null) return form.inert(plainSuggestion(finding, form));
  // An empty line between the fences would stay in the file.
  return finding.suggestion === "" ? `\`\`\`${words}\n\`\`\`` : fence(text).replace("\n", `${words}\n`);
}

function plainSuggestion({ suggestion }: Finding, { maxPartBytes = MAX_PART_BYTES }: CommentForm): string {
  const text = plainLines(suggestion);
  if (text === null) return "";
  if (byteLength(text) > maxPartBytes) return SUGGESTION_LONG;
  return suggestion === "" ? "Suggested: remove these lines." : `Suggested:\n\n${untrustedFence(text)}`;
}

/** Without the last newline. */
function plainLines(suggestion: string | null): string | null {
  return suggestion === null ? null : suggestion.replaceAll("\r\n", "\n").replace(/\n$/, "");
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
