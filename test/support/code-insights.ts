// The proxy of Bitbucket Pipelines, faked where steps expect it: it takes whole addresses, and would sign for the step.

import { createServer } from "node:http";
import { readBody } from "../../fakes/code-host/server.ts";

const PORT = 29_418;

export type ReceivedReport = {
  readonly method: string;
  readonly host: string;
  /** As a proxy gets it: with the scheme and the host. */
  readonly url: string;
  readonly body: unknown;
};

export type CodeInsights = {
  readonly reports: readonly ReceivedReport[];
  close(): Promise<void>;
};

/**
 * Answers every request with the status, and keeps those about one step: steps of other tests find the same port. Rejects when something else
 * has it.
 */
export async function startCodeInsights({
  status = 200,
  step = "759de0c6-eaee-4eaa-b7a6-c507eec759a7",
} = {}): Promise<CodeInsights> {
  const reports: ReceivedReport[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = JSON.parse(String(await readBody(request)));
    if (url.endsWith(step)) reports.push({ method, url, host: headers.host ?? "", body });
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(PORT, "localhost", resolve);
  });
  return {
    reports,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
