// Every header that a request may carry and an answer may have, with its meaning. Pure.

import { MAX_IDEMPOTENCY_KEY_CHARS } from "./fields.ts";

export const requestHeaders = {
  "Idempotency-Key": {
    description:
      "Makes the request safe to repeat for 24 hours. One that is not empty wins over the body's `idempotency_key`, where the body has one.",
    schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARS },
  },
  "If-None-Match": { description: "An ETag of an earlier answer: 304 when it still holds.", schema: text() },
  "If-Match": {
    description: "The ETag that the change builds on: 412 when another one holds.",
    schema: text(),
  },
  "Last-Event-ID": {
    description: "The `id` of the last event that was read. A browser's EventSource sends it by itself.",
    schema: text(),
  },
  Range: { description: "One range of bytes, such as `bytes=0-1023`.", schema: text() },
} as const;
export type RequestHeader = keyof typeof requestHeaders;

export const answerHeaders = {
  "X-Request-Id": { description: "Names the request in the service's log.", schema: text() },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
  "WWW-Authenticate": { description: "`Bearer`, where a credential is needed.", schema: text() },
  Upgrade: { description: "`websocket`.", schema: text() },
  ETag: { description: "Names this answer.", schema: text() },
  "Content-Range": { description: "Which bytes of how many: `bytes 0-1023/4096`.", schema: text() },
  "Accept-Ranges": { description: "`bytes`, where a part can be requested.", schema: text() },
  "Content-Length": { description: "The body's size in bytes, where it is known.", schema: text() },
  Location: { description: "Where to read the operation.", schema: text() },
  "Content-Disposition": { description: "`attachment`, with the file's name.", schema: text() },
  "X-Content-Type-Options": { description: "`nosniff`.", schema: text() },
  "Content-Security-Policy": { description: "`sandbox`: a browser executes nothing of it.", schema: text() },
  "Cache-Control": { description: "How long it may be kept.", schema: text() },
  "X-Accel-Buffering": { description: "`no`: a proxy passes events on at once.", schema: text() },
  Link: { description: 'The next page, `<…>; rel="next"`, where there is one.', schema: text() },
  "X-Svc-Run-Id": { description: "The run's id.", schema: text() },
  "X-Svc-Session-Id": { description: "The session's id.", schema: text() },
  "X-Svc-Idempotent-Replay": {
    description: '"true" where an earlier request with the same key did it.',
    schema: text(),
  },
} as const;
/** Of an answer that gives a submitted run. */
export const submittedHeaders = ["X-Svc-Run-Id", "X-Svc-Session-Id"] as const;
export type DocumentHeader = keyof typeof answerHeaders;

function text() {
  return { type: "string" } as const;
}
