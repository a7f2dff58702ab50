// Models that search or execute by themselves, whatever the request says. Pure.
// By the providers' lists of models, looked up on 2026-11-23.

import { ProxyRefusal } from "./proxy-refusal.ts";
import { reasons } from "./requests/kept.ts";

const MAX_MODEL_CHARS = 200;

const searching = [
  // OpenRouter: any model with a search before it, and settings that are stored there.
  /:online\b/i,
  /^@preset\b/i,
  // OpenAI.
  /\bsearch-(?:preview|api)\b/i,
  /\bdeep-research\b/i,
  // Perplexity.
  /(?:^|\/)sonar\b/i,
  // Groq.
  /(?:^|\/)compound\b/i,
];

/** Throws a `ProxyRefusal` for a name that is none, and for such a model. */
export function checkModelName(model: string): void {
  const shown = JSON.stringify(model.slice(0, MAX_MODEL_CHARS));
  if (model === "" || model.length > MAX_MODEL_CHARS)
    throw new ProxyRefusal(400, `"model" must be the name of a model, got ${shown}.`, "model");
  if (searching.some((pattern) => pattern.test(model)))
    throw new ProxyRefusal(
      400,
      `"model" ${shown} searches or executes by itself: ${reasons.executed}. Choose a model that does not.`,
      "model",
    );
}
