// Prints what it takes to push a workspace of many files by git, and to clone it: from the service, cold and warm, and beside it from a
// bare repository with the same objects by `git http-backend` and by file://. node test/support/measure-workspace-git.ts [files]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { GitFixture } from "../service/api/git/git-fixture.ts";

const files = Number(process.argv[2] ?? 5_000);
const TIMES = 5;

const at = await GitFixture.start();
try {
  const { workspaceId, copyId, cwd } = await at.workspace();
  for (let n = 0; n < files; n += 1) {
    const line = `line of file ${n}\n`;
    await at.write(cwd, `src/${n % 50}/${n % 700}/file-${n}.ts`, line.repeat(20));
  }
  await at.commit(cwd);
  const push = await timed(() => at.git.git(["push", "--quiet", "origin", "HEAD"], { cwd }));
  console.log(`push of ${files} files: ${push} ms`);
  let clones = 0;
  const clone = async (url: string, ...args: string[]) => {
    clones += 1;
    const folder = `clone-${clones}`;
    return await timed(() => at.git.git(["clone", "--quiet", "--no-checkout", ...args, url, folder]));
  };
  const url = at.url(workspaceId);
  const branch = ["--branch", `copies/${copyId}`];
  console.log(
    `clone from the service, its node has nothing of it but the push: ${await clone(url, ...branch)} ms`,
  );
  await at.git.git(["clone", "--quiet", "--bare", ...branch, url, "bare.git"]);
  const backend = await httpBackend(at.git.folder);
  const bare = `file://${join(at.git.folder, "bare.git")}`;
  const ways = { service: url, "git http-backend": `${backend.url}/bare.git`, "file://": bare };
  const times = new Map<string, number[]>();
  for (let time = 0; time < TIMES; time += 1) {
    for (const [way, from] of Object.entries(ways)) {
      times.set(way, [...(times.get(way) ?? []), await clone(from, ...branch)]);
    }
  }
  for (const [way, list] of times) console.log(`clone, ${way}: ${list.sort((a, b) => a - b).join(", ")} ms`);
  const noop: number[] = [];
  for (let time = 0; time < TIMES; time += 1)
    noop.push(await timed(() => at.git.git(["fetch", "--quiet"], { cwd })));
  console.log(`fetch of nothing: ${noop.sort((a, b) => a - b).join(", ")} ms`);
  backend.close();
} finally {
  await at.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return Math.round(performance.now() - begun);
}

async function httpBackend(root: string) {
  const server = createServer((request, response) => cgi(root, request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

function cgi(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin);
  let head = "";
  child.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const headers = head
      .slice(0, end)
      .split("\r\n")
      .map((line) => line.split(/: (.*)/s).slice(0, 2));
    response.writeHead(200, Object.fromEntries(headers));
    response.write(Buffer.from(head.slice(end + 4), "latin1"));
  });
  child.stdout.on("end", () => response.end());
}
