// Quirks of a run's models: parameters that they refused, so that no later request of it sends them again.
// Why: docs/decisions/049-wires-and-what-they-refuse.md

import { APICallError } from "ai";
import type { QuirksState } from "../loop-state.ts";
import { type Body, parseBody } from "./body.ts";
import { learnRefusal, type Refusal, withoutRefused } from "./refusals.ts";

/** More in one run is a server that refuses whatever it is sent. */
const MAX_LEARNED = 6;

type Known = {
  readonly refusals: Refusal[];
  /** The last body that was sent. */
  sent: string | null;
};

export class ModelQuirks {
  readonly #known = new Map<string, Known>();
  #learned = 0;

  get state(): QuirksState {
    return Object.fromEntries([...this.#known].map(([modelId, { refusals }]) => [modelId, [...refusals]]));
  }

  /** Knows what another worker has learned. */
  resume(state: QuirksState): void {
    for (const [modelId, refusals] of Object.entries(state)) {
      this.#of(modelId).refusals.push(...refusals);
      this.#learned += refusals.length;
    }
  }

  /** The body as it is sent: as its wire finishes it (null: as it is), without what was refused. */
  bodyOf(modelId: string, text: string, finish: ((body: Body) => Body) | null): string {
    const known = this.#of(modelId);
    const isAsItIs = finish === null && known.refusals.length === 0;
    const body = isAsItIs ? null : parseBody(text);
    const finished = body === null ? null : known.refusals.reduce(withoutRefused, finish?.(body) ?? body);
    known.sent = finished === null ? text : JSON.stringify(finished);
    return known.sent;
  }

  /** True where the failure taught something, and the request is worth sending again at once. */
  learn(modelId: string, cause: unknown): boolean {
    const known = this.#of(modelId);
    if (this.#learned >= MAX_LEARNED || known.sent === null) return false;
    const sent = parseBody(known.sent);
    const text = refusalText(cause);
    const refusal = sent === null || text === null ? null : learnRefusal(text, sent);
    if (refusal === null) return false;
    known.refusals.push(refusal);
    this.#learned += 1;
    return true;
  }

  /** The longest answer that the model's API allows, as far as it has said so. */
  maxOutputTokens(modelId: string): number {
    const limits = this.#of(modelId).refusals.flatMap((refusal) =>
      refusal.type === "limit" ? [refusal.most] : [],
    );
    return Math.min(...limits);
  }

  /** Whether the model takes tools by the Responses API alone, as it has said. */
  needsResponses(modelId: string): boolean {
    return this.#of(modelId).refusals.some(({ type }) => type === "responses");
  }

  #of(modelId: string): Known {
    const known = this.#known.get(modelId) ?? { refusals: [], sent: null };
    this.#known.set(modelId, known);
    return known;
  }
}

/** The text of an API about a request that it did not take. Null where it failed otherwise. */
function refusalText(cause: unknown): string | null {
  if (!APICallError.isInstance(cause)) return null;
  const { statusCode: status, message, responseBody = "" } = cause;
  const isRefusal = status === 400 || status === 404 || status === 422;
  return isRefusal ? `${message}\n${responseBody}` : null;
}
