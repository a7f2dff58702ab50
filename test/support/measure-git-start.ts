// Prints what it costs a process to start git, before and after it has refused packs that unfold to more than they may: as glibc manages
// memory by itself, and with the settings of the Dockerfile. `node test/support/measure-git-start.ts`.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { withinUnfoldedSize } from "../../src/service/checkouts/packs/unfolded-size.ts";
import { unfoldingPack } from "../service/checkouts/packs/pack-fixture.ts";
import { RETURNED_MEMORY } from "./returned-memory.ts";

const STARTS = 200;
const PACKS = 8;
const ROUNDS = 3;

if (process.argv[2] === "measured") await measured();
else {
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const [name, env] of [
      ["glibc by itself", {}],
      ["with the settings", RETURNED_MEMORY],
    ] as const) {
      const { MALLOC_ARENA_MAX: _, ...own } = process.env;
      const args = [import.meta.filename, "measured"];
      const printed = execFileSync(process.execPath, args, { env: { ...own, ...env }, encoding: "utf8" });
      process.stdout.write(`${name}: ${printed}`);
    }
}

async function measured(): Promise<void> {
  const before = await startGit();
  const pack = unfoldingPack(7_800);
  await Promise.all(Array.from({ length: PACKS }, () => refuse(pack)));
  const after = await startGit();
  process.stdout.write(`${before} before the packs, ${after} after them\n`);
}

async function refuse(pack: Buffer): Promise<void> {
  async function* content() {
    yield pack;
  }
  const read = withinUnfoldedSize({
    content: content(),
    size: pack.length,
    nameBytes: 20,
    maxUnfoldedBytes: 2 ** 31,
  });
  try {
    for await (const _ of read);
  } catch {
    return;
  }
  throw new Error("The pack was not refused.");
}

/** "1.2 ms of processor time and 3.4 ms": of this process, for each start. */
async function startGit(): Promise<string> {
  const begun = { cpu: process.cpuUsage(), at: performance.now() };
  for (let start = 0; start < STARTS; start += 1)
    await once(spawn("git", ["--version"], { stdio: ["ignore", "pipe", "pipe"] }), "close");
  const { user, system } = process.cpuUsage(begun.cpu);
  const cpuMs = (user + system) / 1000 / STARTS;
  const ms = (performance.now() - begun.at) / STARTS;
  return `${cpuMs.toFixed(1)} ms of processor time and ${ms.toFixed(1)} ms`;
}
