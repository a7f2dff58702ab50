// The settings of glibc, wherever a service is started from: those that were measured.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RETURNED_MEMORY } from "../support/returned-memory.ts";

it.each([
  ["the Dockerfile", "Dockerfile", /^ENV (MALLOC_.*)$/m],
  ["the unit of systemd", "docs/self-hosting/install.md", /^Environment=(MALLOC_.*)$/m],
])("are in %s", (_name, file, line) => {
  const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
  const given = line
    .exec(text)?.[1]
    ?.split(" ")
    .map((one) => one.split("="));
  expect(Object.fromEntries(given ?? [])).toEqual(RETURNED_MEMORY);
});
