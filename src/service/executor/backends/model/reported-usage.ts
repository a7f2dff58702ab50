// Decodes the usage that a model's server reports of a call. Numbers that are missing or cannot be are estimated instead: they
// become money. Pure.

import type { TokenCount } from "../../../core/money/call-price.ts";
import { tokensOf } from "./token-estimate.ts";

/** As the server reported it. Null: it reported nothing. */
export type ReportedUsage = {
  readonly input: number | null;
  readonly cachedInput: number | null;
  /** The part of the input that the provider put into its cache. Left out: as null. */
  readonly cacheWrite?: number | null;
  readonly output: number | null;
};

/** The size of a call as it is known without its server. */
export type EstimatedCallSize = {
  readonly sentBytes: number;
  readonly estimatedInput: number;
  readonly maxOutputTokens: number;
  readonly heardChars: number;
  readonly heardBytes: number;
};

export type CountedTokens = TokenCount & { readonly isEstimated: boolean };

/** Tokens that a server adds to a request: its template, its own instructions for tools. */
const SERVER_TOKENS = 4_096;

/** No token is less than a byte of text, an answer is not longer than was allowed, and no text is without a token. */
export function countTokens(reported: ReportedUsage, size: EstimatedCallSize): CountedTokens {
  const input = whole(reported.input, { min: 1, max: size.sentBytes + SERVER_TOKENS });
  // Thoughts that are not shown are output too, so that what was heard is no upper limit alone.
  const output = whole(reported.output, {
    min: size.heardChars > 0 ? 1 : 0,
    max: Math.max(size.maxOutputTokens, size.heardBytes),
  });
  const cached = whole(reported.cachedInput ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const written = whole(reported.cacheWrite ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  const counted = input ?? size.estimatedInput;
  const cachedInput = Math.min(cached ?? 0, counted);
  return {
    input: counted,
    cachedInput,
    cacheWrite: Math.min(written ?? 0, counted - cachedInput),
    output: output ?? tokensOf(size.heardChars),
    isEstimated: input === null || output === null || cached === null || written === null,
  };
}

/** The number if it is whole and within the limits, else null. */
function whole(
  value: number | null,
  { min, max }: { readonly min: number; readonly max: number },
): number | null {
  return value !== null && Number.isSafeInteger(value) && value >= min && value <= max ? value : null;
}
