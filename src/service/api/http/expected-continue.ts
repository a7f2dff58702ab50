// Requests with `Expect: 100-continue` (RFC 9110 §10.1.1): the client sends its body once it is asked to, and the service asks where
// something reads it. What is refused before is never sent.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** Answers such a request. One that is answered without its body ends the connection: nobody knows whether the client sends the rest. */
export function answerExpecting(answer: RequestListener): RequestListener {
  return (request, response) => {
    response.setHeader("Connection", "close");
    onceRead(request, () => askForBody(response));
    answer(request, response);
  };
}

function askForBody(response: ServerResponse): void {
  if (response.headersSent) return;
  response.removeHeader("Connection");
  response.writeContinue();
}

/** Whatever reads a body listens for it first. */
function onceRead(request: IncomingMessage, act: () => void): void {
  const onListener = (event: string | symbol) => {
    if (event !== "data" && event !== "readable") return;
    request.off("newListener", onListener);
    act();
  };
  request.on("newListener", onListener);
}
