// What a wire must do: read a request, write an answer as events or as one document. And how answers come in pieces.

import type { Asked, WireName } from "./request.ts";
import type { Answer, Part, Turn } from "./turn.ts";

export type MadeCall = { readonly id: string; readonly tool: string; readonly input: string };

/** Parts as they are written: calls side by side are one piece. Waits are the server's. */
export type Piece =
  | Exclude<Part, { type: "call" }>
  | { readonly type: "calls"; readonly calls: readonly MadeCall[] };
export type Writable = Exclude<Piece, { type: "wait" }>;

export type Outline = {
  readonly id: string;
  readonly asked: Asked;
  readonly answer: Answer;
  /** What the answer's thoughts are bound to: see thought-seals.ts. */
  readonly prefix: string;
};

export interface EventWriter {
  start(): string[];
  write(piece: Writable): string[];
  finish(): string[];
}

export interface Wire {
  readonly name: WireName;
  /** Throws a ZodError for a body that the API refuses. */
  decode(body: unknown, path: string): Asked;
  /** What the API says of a history that it does not take; null where it takes it. */
  refuseHistory(body: unknown, path: string): Turn | null;
  /** All that an answer to this body follows. */
  prefixOf(body: unknown): string;
  /** Every string is one whole server-sent event. */
  events(outline: Outline): EventWriter;
  document(outline: Outline, pieces: readonly Writable[]): unknown;
  failure(status: number, message: string): unknown;
}

/** Fixed: nothing here depends on the time. */
export const CREATED_AT_SECONDS = 1_767_225_600;

export function piecesOf(parts: readonly Part[], nextCallId: () => string): Piece[] {
  const pieces: Piece[] = [];
  let calls: MadeCall[] | null = null;
  for (const part of parts) {
    if (part.type !== "call") {
      calls = null;
      pieces.push(part);
      continue;
    }
    if (calls === null) {
      calls = [];
      pieces.push({ type: "calls", calls });
    }
    calls.push({ id: nextCallId(), tool: part.tool, input: part.input });
  }
  return pieces;
}

/** At most 12 characters each, never half of one. */
export function deltasOf(text: string): string[] {
  return text.match(/.{1,12}/gsu) ?? [];
}

export function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export function namedEvent(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\n${dataEvent(value)}`;
}

export const commentEvent = ": ping\n\n";

/** What the pieces say together. */
export function joinText(pieces: readonly Writable[], type: "text" | "thought"): string {
  return pieces.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join("");
}

export function callsOf(pieces: readonly Writable[]): MadeCall[] {
  return pieces.flatMap((piece) => (piece.type === "calls" ? piece.calls : []));
}

/** The value, or the text itself where a model garbled it. */
export function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
