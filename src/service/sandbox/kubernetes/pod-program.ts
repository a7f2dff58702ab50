// The program that the service executes in a pod. It comes with each call, through the standard input, so a command that changed files of the
// pod has not changed it. A call that is repeated does nothing twice: a command is known by its id, a copy of files by its number.

import { podCommands } from "./pod-commands.ts";
import { podFiles } from "./pod-files.ts";
import { podGoingOn } from "./pod-going-on.ts";
import { podPacks } from "./pod-packs.ts";

/**
 * CommonJS, for `node -e`: reads the length of a program as a line, the program, and executes it. What follows is the program's. Short,
 * because it is part of a URL.
 */
export const podLoader = [
  "const i=process.stdin;let b=Buffer.alloc(0);",
  'i.on("readable",function f(){for(let c;(c=i.read())!==null;){b=Buffer.concat([b,c]);',
  "const n=b.indexOf(10);if(n<0)continue;const e=n+1+Number(b.subarray(0,n));if(b.length<e)continue;",
  'i.off("readable",f);const p=b.subarray(n+1,e).toString();const r=b.subarray(e);',
  'return new Function("require","loader","program","rest",p)(require,process.execArgv[1],p,r)}});',
].join("");

/** Its folder is the working folder of the container: `tree`, `home` and what the service keeps are in it. */
export const podProgram = String.raw`
"use strict";
const fs = require("node:fs");
const { spawn, execFile } = require("node:child_process");
const base = process.cwd();
const own = base + "/.agent-service";
const { env: inherited } = process;
const tree = base + "/tree";
const kinds = { end: 0, file: 1, more: 2, folder: 3, link: 4, removed: 5, output: 6, skipped: 7, started: 8, alive: 9, opened: 10, data: 11, ended: 12, closed: 13, complaint: 14, terminated: 15 };
const HEADER = 15, CHUNK = 1048576, LOOK_MS = 50;
const MARK = "AGENT_SERVICE_COMMAND";

// Input: a line of JSON, then bytes or frames.
let have = rest, isOver = false, wake = () => {};
process.stdin.on("data", (chunk) => { have = Buffer.concat([have, chunk]); if (have.length > 8 * CHUNK) process.stdin.pause(); wake(); });
process.stdin.on("end", () => { isOver = true; wake(); });
process.stdin.on("error", () => { isOver = true; wake(); });
const more = () => new Promise((resolve) => { wake = resolve; process.stdin.resume(); });
const take = async (count) => {
  while (have.length < count) { if (isOver) throw new Error("cut"); await more(); }
  const taken = have.subarray(0, count);
  have = have.subarray(count);
  return taken;
};
const line = async () => {
  for (;;) {
    const end = have.indexOf(10);
    if (end >= 0) return (await take(end + 1)).subarray(0, end).toString();
    if (isOver) throw new Error("cut");
    await more();
  }
};
process.stdout.on("error", () => process.exit(0));
const write = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve));
const frame = (kind, { mode = 0, path = "", content = Buffer.alloc(0) } = {}) => {
  const name = Buffer.from(path, "latin1");
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(kind, 0);
  header.writeUInt16BE(mode & 0xffff, 1);
  header.writeUInt32BE(name.length, 3);
  header.writeDoubleBE(content.length, 7);
  return write(Buffer.concat([header, name, content]));
};
const answer = (value) => frame(kinds.end, { content: Buffer.from(JSON.stringify(value)) });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const look = (path) => { try { return fs.lstatSync(path); } catch { return null; } };
const readText = (path) => { try { return fs.readFileSync(path, "utf8"); } catch { return null; } };
const writeText = (path, text) => { fs.writeFileSync(path + ".part", text); fs.renameSync(path + ".part", path); };
const remove = (path) => fs.rmSync(path, { recursive: true, force: true });

${podFiles}${podCommands}${podGoingOn}${podPacks}// Connections to a port here, as frames. What was there before may still be ending.
const relay = async ({ port }) => {
  const { createServer } = require("node:net");
  const clients = new Map();
  let made = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    made += 1;
    const path = String(made);
    clients.set(path, client);
    frame(kinds.opened, { path });
    client.on("data", async (content) => {
      client.pause();
      for (let from = 0; from < content.length; from += CHUNK) await frame(kinds.data, { path, content: content.subarray(from, from + CHUNK) });
      client.resume();
    });
    client.on("end", () => frame(kinds.ended, { path }));
    client.on("error", () => {});
    client.on("close", () => { clients.delete(path); frame(kinds.closed, { path }); });
  });
  const listen = () => new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  for (let tries = 0; !(await listen()); tries += 1) {
    if (tries > 100) return await answer({ ok: false });
    await sleep(LOOK_MS);
  }
  await frame(kinds.started);
  for (;;) {
    const header = await take(HEADER);
    const path = (await take(header.readUInt32BE(3))).toString("latin1");
    const content = await take(header.readDoubleBE(7));
    const client = clients.get(path);
    if (client === undefined) continue;
    const kind = header.readUInt8(0);
    if (kind === kinds.ended) client.end();
    if (kind === kinds.closed) client.destroy();
    if (kind === kinds.data && !client.write(content))
      await new Promise((resolve) => { client.once("drain", resolve); client.once("close", resolve); });
  }
};
(async () => {
  const asked = JSON.parse(await line());
  if (asked.call !== "supervise") setInterval(() => frame(kinds.alive), asked.aliveMs).unref();
  await { put, get, execute, supervise, stop, relay, program: goOn, ignored: tellIgnored, remove: removeAll, place: aboutPlace, pack, unpack }[asked.call](asked);
  if (asked.call !== "supervise") process.exit(0);
})().catch((cause) => {
  process.stderr.write(String(cause && cause.message) + "\n", () => process.exit(cause && cause.message === "cut" ? 3 : 1));
});
`;
