// Bounds one answer of a model's API, before anybody keeps it: a server that never ends a line would otherwise fill this
// process's memory.

const MEGABYTE = 1024 * 1024;
/** Of all bytes of an answer: a hundred times what the longest answers of today's models take. */
const MAX_ANSWER_BYTES = 64 * MEGABYTE;
/** Of one line, which the reader keeps until it ends. Some servers send a whole call of a tool in one. */
const MAX_LINE_BYTES = 8 * MEGABYTE;
const LINE_FEED = 10;

/** The answer passed a bound. */
class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/** The same response, whose body fails with an AnswerTooLarge once it has passed a bound. */
export function boundedAnswer(response: Response): Response {
  if (response.body === null) return response;
  let answerBytes = 0;
  let lineBytes = 0;
  const bounds = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      answerBytes += chunk.length;
      const end = chunk.lastIndexOf(LINE_FEED);
      lineBytes = end < 0 ? lineBytes + chunk.length : chunk.length - end - 1;
      if (answerBytes > MAX_ANSWER_BYTES) {
        throw new AnswerTooLarge(`sent an answer of more than ${MAX_ANSWER_BYTES / MEGABYTE} MB`);
      }
      if (lineBytes > MAX_LINE_BYTES) {
        throw new AnswerTooLarge(`sent a line of more than ${MAX_LINE_BYTES / MEGABYTE} MB`);
      }
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounds), { status, statusText, headers });
}

/** The AnswerTooLarge that a library wrapped into its own error. Null where there is none. */
export function tooLargeOf(cause: unknown): AnswerTooLarge | null {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error instanceof AnswerTooLarge) return error;
  }
  return null;
}
