// Stands in front of a real S3 server and lets it fail in turn: requests pass, are refused, or get no answer.

import { createServer, type IncomingMessage, request as open } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import type { S3Config } from "../../src/service/blobs/s3-config.ts";
import type { S3Server } from "./s3-server.ts";

/** `pass`, a status that the server answers itself, or `hang`: the request is read and nothing is answered. */
export type GateVerdict = "pass" | "hang" | number;

export type S3Gate = {
  readonly config: S3Config;
  readonly settings: Readonly<Record<string, string>>;
  /** Methods and paths of all requests, in the order in which they came. */
  readonly seen: readonly string[];
  /** What becomes of the requests from now on. */
  judge(verdict: (request: IncomingMessage) => GateVerdict): void;
  stop(): Promise<void>;
};

export async function openS3Gate(server: S3Server): Promise<S3Gate> {
  const seen: string[] = [];
  let judge: (request: IncomingMessage) => GateVerdict = () => "pass";
  const { hostname, port } = new URL(server.config.endpoint);
  const gate = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const verdict = judge(request);
    if (verdict !== "pass") {
      request.resume();
      if (verdict === "hang") return;
      response.writeHead(verdict, { connection: "close" });
      response.end("<Error><Code>InternalError</Code></Error>");
      return;
    }
    const { method, url, headers } = request;
    const passed = open({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response).catch(() => {});
    });
    passed.on("error", () => response.destroy());
    pipeline(request, passed).catch(() => passed.destroy());
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  return {
    config: { ...server.config, endpoint },
    settings: { ...server.settings, S3_ENDPOINT: endpoint },
    seen,
    judge: (verdict) => {
      judge = verdict;
    },
    stop: async () => {
      gate.closeAllConnections();
      await new Promise<void>((resolve) => gate.close(() => resolve()));
      await server.stop();
    },
  };
}
