// The lint rules of this repository's own: each refuses what it is for, and nothing else. Biome says nothing of a rule that
// it cannot execute.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";

const ROOT = join(import.meta.dirname, "..");
const configSchema = z.object({
  plugins: z.array(z.object({ path: z.string(), includes: z.array(z.string()) })),
});

/** The lines of the code that a rule of ours refuses, in a file of that path. */
function refusedLines(code: readonly string[], path = "src/service/core/example.ts"): string[] {
  const folder = mkdtempSync(join(tmpdir(), "lint-rules-"));
  try {
    const { plugins } = configSchema.parse(JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8")));
    const moved = plugins.map((plugin) => ({ ...plugin, path: join(ROOT, plugin.path) }));
    writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins: moved }));
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `${code.join("\n")}\n`);
    const args = ["lint", "--colors=off", "--max-diagnostics=100", path];
    const { stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/biome"), args, {
      cwd: folder,
      encoding: "utf8",
    });
    const found = `${stdout}${stderr}`.matchAll(/^\S+?:(\d+):\d+ plugin /gm);
    return [...found].map(([, line]) => code[Number(line) - 1] ?? "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the wall clock", () => {
  const wrong = [
    "const until = core.clock.now() + waitMs;",
    "const begunAt = this.#core.clock.now();",
    "const startedAt = clock.now();",
    "let deadline = systemClock.now() + 5;",
    "const elapsed = clock.now() - begunAt;",
    "const left = until - clock.now();",
    "while (core.clock.now() < deadline) {}",
    "if (until <= clock.now()) {}",
    "export const at = Date.now();",
    "f(Date.now);",
    "export const day = new Date();",
  ];

  it("measures no interval, deadline or wait", () => {
    expect(refusedLines(wrong)).toEqual(wrong);
  });

  it("is read for what is stored, shown or compared with what is stored", () => {
    const right = [
      "const now = core.clock.now();",
      "const createdAt = clock.now();",
      "const expiresAt = clock.now() + LIFE_MS;",
      "const usedSince = clock.now() - JUST_USED_MS;",
      "if (link.expiresAt <= core.clock.now()) {}",
      "f({ now: clock.now(), before: clock.now() - keptMs });",
      "export const day = new Date(clock.now());",
      "const begunMs = clock.monotonic();",
      "const elapsed = clock.monotonic() - begunMs;",
    ];
    expect(refusedLines(right)).toEqual([]);
  });

  it("is the machine's in one file, and free in tests", () => {
    expect(refusedLines(wrong, "src/base/clock.ts")).toEqual([]);
    expect(refusedLines(wrong, "test/service/example.test.ts")).toEqual([]);
  });
});
