// Asks for the room of a request: a turn of the work leaves room for the one that wraps up, and that one is trimmed until it fits.

import { wrapUpCall } from "./bounds.ts";
import type { Conversation } from "./conversation.ts";
import type { Allowance, PlannedSpend, Spending } from "./spending.ts";
import type { TokenEstimate } from "./token-estimate.ts";

/**
 * What a request is to its run: its `first`, which may take all that is left where nothing can be kept; one of its `work`; the
 * one that wraps it up (`last`); one `beside` it, of the advisor or the reviewer; or one of its explorers (`explore`), which leaves as
 * much as one of its work.
 */
export type RequestStage = "first" | "work" | "last" | "beside" | "explore";

type AllowedRequest = {
  readonly stage: RequestStage;
  readonly conversation: Conversation;
  /** Characters that every request has, whatever its conversation. */
  readonly fixedChars: number;
  readonly estimate: TokenEstimate;
  readonly spending: Spending;
  readonly planned: Omit<PlannedSpend, "kept" | "inputTokens">;
};

/** Also returns about how many tokens the request then has. The conversation of a last request may be trimmed. */
export async function allowRequest({
  stage,
  conversation,
  fixedChars,
  estimate,
  spending,
  planned,
}: AllowedRequest): Promise<{ readonly allowed: Allowance; readonly inputTokens: number }> {
  const inputOf = () => estimate.of(fixedChars + conversation.chars);
  const attempt = async (kept: PlannedSpend["kept"]) => {
    const inputTokens = inputOf();
    return { allowed: await spending.allow({ ...planned, inputTokens, kept: kept ?? null }), inputTokens };
  };
  if (stage === "first" || stage === "work" || stage === "explore") {
    const keeping = await attempt(
      wrapUpCall({
        fixedTokens: estimate.of(fixedChars),
        conversationTokens: estimate.of(conversation.chars),
        maxOutputTokens: planned.maxOutputTokens,
      }),
    );
    return keeping.allowed.ok || stage !== "first" ? keeping : await attempt(null);
  }
  for (;;) {
    const tried = await attempt(null);
    const { chars } = conversation;
    if (tried.allowed.ok || stage === "beside") return tried;
    conversation.fit(chars / 2);
    if (conversation.chars >= chars) return tried;
  }
}
