// A smart HTTP git server on loopback over `git upload-pack`, with the faults that a clone can meet.

import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { announcement } from "../../../fakes/code-host/git-http.ts";

export type ServerFault =
  | { readonly kind: "none" }
  | { readonly kind: "status"; readonly status: number; readonly location?: string }
  /** Takes the request for the pack and never answers. */
  | { readonly kind: "hang" }
  /** Sends that many bytes of the pack and then nothing more. */
  | { readonly kind: "stall"; readonly afterBytes: number };

export type GitServer = {
  readonly url: string;
  fault: ServerFault;
  readonly requests: string[];
  /** Resolves when a fault has left a client waiting. */
  readonly stuck: Promise<void>;
  close(): Promise<void>;
};

/** Serves every repository under `folder` as `<url>/<name>`. */
export async function startGitServer(folder: string): Promise<GitServer> {
  const stuck = Promise.withResolvers<void>();
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const { fault } = state;
    if (fault.kind === "status") {
      const location = fault.location === undefined ? {} : { location: fault.location };
      response.writeHead(fault.status, { "www-authenticate": "Basic", ...location }).end();
    } else if (fault.kind === "hang" && request.method === "POST") {
      stuck.resolve();
    } else {
      void serve({ folder, request, response, fault, stuck: stuck.resolve });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const state: GitServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: { kind: "none" },
    requests,
    stuck: stuck.promise,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}

const SERVICE_LINE = Buffer.from("001e# service=git-upload-pack\n0000");

type Exchange = {
  readonly folder: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: ServerFault;
  stuck(): void;
};

async function serve({ folder, request, response, fault, stuck }: Exchange): Promise<void> {
  const url = new URL(request.url ?? "/", "http://loopback");
  const isAdvertisement = url.pathname.endsWith("/info/refs");
  const repository = join(folder, url.pathname.replace(/\/(info\/refs|git-upload-pack)$/, ""));
  const protocol = String(request.headers["git-protocol"] ?? "");
  const config = ["safe.directory=*"];
  const announced = isAdvertisement ? await announcement({ path: repository, config, protocol }) : null;
  if (announced !== null) {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    // Clients of version 2 read the line of older versions, too.
    response.end(Buffer.concat([SERVICE_LINE, announced]));
    return;
  }
  const options = isAdvertisement ? ["--stateless-rpc", "--advertise-refs"] : ["--stateless-rpc"];
  const child = spawn("git", ["-c", ...config, "upload-pack", "--strict", ...options, repository], {
    env: { PATH: process.env.PATH, GIT_PROTOCOL: protocol },
    stdio: ["pipe", "pipe", "ignore"],
  });
  response.on("close", () => child.kill());
  child.stdin.on("error", () => undefined);
  const body = request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request;
  body.pipe(child.stdin);

  let left = fault.kind === "stall" && !isAdvertisement ? fault.afterBytes : Number.POSITIVE_INFINITY;
  child.stdout.on("data", (chunk: Buffer) => {
    if (!response.headersSent) {
      const type = isAdvertisement ? "advertisement" : "result";
      response.writeHead(200, { "content-type": `application/x-git-upload-pack-${type}` });
      if (isAdvertisement) response.write(SERVICE_LINE);
    }
    response.write(chunk.subarray(0, left));
    left -= Math.min(left, chunk.length);
    if (left === 0) stuck();
  });
  child.on("close", (code) => {
    if (left === 0) return;
    if (!response.headersSent) response.writeHead(code === 0 ? 200 : 404);
    response.end();
  });
}
