// A refusal as the result of a tool: an error that the client's model reads, with the API's code. Pure.

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { PublicProblem } from "../../core/ports/problem.ts";
import { type Refusal, toProblem } from "../shared/problems/to-problem.ts";

/** The problem of whatever a tool was refused for. */
function problemOf(refusal: Refusal | PublicProblem): PublicProblem {
  return "reason" in refusal ? toProblem(refusal) : refusal;
}

/** No structured content: it would have to fit the schema of the tool's answers, and clients hide what does not. So the API's
 * error body, with `retry_after_seconds` in the place of the header and the page of what only an owner does, is a second text. */
export function problemResult(
  refusal: Refusal | PublicProblem,
  { requestId }: { readonly requestId: string },
): CallToolResult {
  const { message, code, fields, retryAfterSeconds } = problemOf(refusal);
  const body = {
    error: message,
    code,
    request_id: requestId,
    ...("reason" in refusal && refusal.reason === "owner_needed" ? { approve_url: refusal.url } : {}),
    ...fields,
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
  };
  const retry = retryAfterSeconds === undefined ? "" : ` Try again in ${retryAfterSeconds} seconds.`;
  const text = `${message}${retry} (${code}, request ${requestId})`;
  return {
    isError: true,
    content: [
      { type: "text", text },
      { type: "text", text: JSON.stringify(body) },
    ],
  };
}
