// One request of an agent: decoded, priced, reserved, passed on as it was decoded, and counted.
// Why: docs/decisions/094-the-model-proxy-speaks-its-protocols.md

import type { IncomingMessage, ServerResponse } from "node:http";
import { isPriced, type Rates } from "../../../../core/money/rates.ts";
import type { AnswerLengths } from "./answer-lengths.ts";
import { checkModelName } from "./model-names.ts";
import { type Addressed, passOn } from "./pass-on.ts";
import type { AskedCall, BegunCall, Excess, ProxyBudget } from "./proxy-budget.ts";
import { ProxyRefusal } from "./proxy-refusal.ts";
import { hasTooMany, inputBytes } from "./requests/request-size.ts";
import { Settlement } from "./settlement.ts";

/** The most that Anthropic accepts. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

type Forwarded = Addressed & {
  readonly budget: ProxyBudget;
  readonly lengths: AnswerLengths;
  /** Null where the run's own account pays. */
  readonly rates: Rates | null;
  /** Called when a bound of the run forbids the request. */
  readonly onExcess: (excess: Excess) => void;
  /** Aborts when the run stops: it is settled at once, with what was used by then. */
  readonly stopped: AbortSignal;
};

/** Rejects with a `ProxyRefusal`, or with a signal's reason. What was used is counted in each case. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  forwarded: Forwarded,
): Promise<void> {
  const { access, route, stopped, signal } = forwarded;
  const exchange = { headers: request.headers, response };
  if (route.decode === null) return await passOn({ ...exchange, body: null }, forwarded);
  const decoded = route.decode(parsed(await readBody(request)));
  // The run's own account has one model, whichever its agent would choose.
  const model = access.brought?.model ?? forwarded.model ?? decoded.model ?? "";
  checkModelName(model);
  const addressed = { ...forwarded, model: forwarded.model === null ? null : model };
  const written = (maxOutputTokens: number | null) =>
    JSON.stringify(decoded.body({ model, maxOutputTokens }));
  if (!route.isCounted) return await passOn({ ...exchange, body: written(null) }, addressed);
  const asked = decoded.maxOutputTokens ?? forwarded.lengths.of(model);
  const call = await reserve(
    { modelId: model, inputBytes: inputBytes(written(asked)), maxOutputTokens: asked },
    forwarded,
  );
  const settlement = new Settlement(call);
  const stop = () => settlement.end("stopped");
  stopped.addEventListener("abort", stop, { once: true });
  try {
    const named = written(call.maxOutputTokens);
    const isNamed = decoded.maxOutputTokens !== null;
    const body = isNamed ? named : forwarded.lengths.fit(model, named);
    const correct = isNamed ? null : (said: string) => forwarded.lengths.learn(model, { body, said });
    await passOn({ ...exchange, body, settlement, correct }, addressed);
    settlement.end("answered");
  } finally {
    stopped.removeEventListener("abort", stop);
    settlement.end(signal.aborted ? "abandoned" : "cut");
  }
}

const boundText: Readonly<Record<Excess, string>> = {
  max_tokens: "The run has reached its limit of tokens (max_turn_tokens). It ends here.",
  max_cost: "The run has reached its limit of cost (max_cost_usd). It ends here.",
  credits: "The credits of the run's billing account do not suffice for another request. The run ends here.",
};

async function reserve(
  asked: AskedCall,
  { rates, budget, onExcess, left, signal }: Forwarded,
): Promise<Extract<BegunCall, { ok: true }>> {
  if (rates !== null && !isPriced(rates, asked.modelId))
    throw new ProxyRefusal(
      400,
      `This service has no price for the model ${JSON.stringify(asked.modelId)}. Use another, or its operator may add it to RATES_FILE.`,
      "model",
    );
  const gone = AbortSignal.any([left, signal]);
  const call = await budget.begin(asked, gone);
  if (call.ok && !gone.aborted) return call;
  if (call.ok) {
    call.count(null);
    throw gone.reason;
  }
  onExcess(call.excess);
  throw new ProxyRefusal(403, boundText[call.excess]);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES)
      throw new ProxyRefusal(413, `A request may have ${MAX_REQUEST_BYTES} bytes. Send less at once.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(body: string): unknown {
  if (hasTooMany(body))
    throw new ProxyRefusal(413, "The body has too many objects: more than 100,000. Send less at once.");
  try {
    return JSON.parse(body);
  } catch {
    throw new ProxyRefusal(400, "The body must be JSON.");
  }
}
