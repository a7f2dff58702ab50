// Limits of models that a run uses: the input of one request, and the length of an answer. Pure.

import { limitLists } from "../../../../../contract/models/catalog.ts";
import { plainName } from "../../../../../contract/models/plain-name.ts";

type Limits = {
  /** Tokens of a request, its answer included. */
  readonly contextTokens: number;
  /** Tokens of one answer. */
  readonly maxOutputTokens: number;
};

/** Longer requests cost more a token at several providers, and models overlook more in them. */
const MOST_CONTEXT_TOKENS = 200_000;
/** Its price is held before each request. */
const MOST_OUTPUT_TOKENS = 32_000;

/** The longest beginning of a name first. */
const limits = Object.values(limitLists)
  .flatMap((list) => Object.entries(list?.models ?? {}))
  .toSorted(([one], [other]) => other.length - one.length);

/** The limits of a model that a run uses where its operator says nothing. Null: the model is not known here. */
export function limitsOfModel(modelId: string): Limits | null {
  const { name } = plainName(modelId);
  const known = limits.find(([start]) => name.startsWith(start));
  if (known === undefined) return null;
  const [, [contextTokens, maxOutputTokens]] = known;
  return {
    contextTokens: Math.min(contextTokens, MOST_CONTEXT_TOKENS),
    maxOutputTokens: Math.min(maxOutputTokens, MOST_OUTPUT_TOKENS, contextTokens / 2),
  };
}
