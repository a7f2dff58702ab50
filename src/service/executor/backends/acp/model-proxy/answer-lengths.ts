// The length of an answer to a request that names none, and lengths that a server has refused.

import { type Body, parseBody } from "../../model/wires/body.ts";
import { limitsOfModel } from "../../model/wires/model-limits.ts";
import { learnRefusal, type Refusal, withoutRefused } from "../../model/wires/refusals.ts";

/** Of a model whose limits are not known here. */
const DEFAULT_OUTPUT_TOKENS = 8_000;

export class AnswerLengths {
  readonly #learned = new Map<string, Refusal[]>();

  /** The length for a request that names none. */
  of(modelId: string): number {
    return limitsOfModel(modelId)?.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  }

  /** The request as the server takes it, by what it has refused before. */
  fit(modelId: string, request: string): string {
    const learned = this.#learned.get(modelId) ?? [];
    const body = learned.length === 0 ? null : parseBody(request);
    return body === null ? request : JSON.stringify(learned.reduce<Body>(withoutRefused, body));
  }

  /** The request with another name of its length or a shorter one; null where the refusal is about something else. */
  learn(modelId: string, sent: { readonly body: string; readonly said: string }): string | null {
    const body = parseBody(sent.body);
    const refusal = body === null ? null : learnRefusal(sent.said, body);
    if (body === null || refusal === null) return null;
    if (refusal.type !== "limit" && refusal.type !== "rename") return null;
    this.#learned.set(modelId, [...(this.#learned.get(modelId) ?? []), refusal]);
    return JSON.stringify(withoutRefused(body, refusal));
  }
}
