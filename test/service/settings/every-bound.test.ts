// Every setting of the service and every input of the Action that states a bound: a value at the bound is taken, one beyond
// it is refused. The bound is read from what messages and documentation state. And every setting is read by something.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inputSettings } from "../../../src/action/inputs.ts";
import { modelInputSettings } from "../../../src/action/model-inputs.ts";
import type { Setting } from "../../../src/base/settings/setting.ts";
import { egressSettings } from "../../../src/service/egress/egress-config.ts";
import { sandboxSettings } from "../../../src/service/sandbox/sandbox-config.ts";
import { acpSettings } from "../../../src/service/settings/acp-config.ts";
import { s3Settings } from "../../../src/service/settings/blob-config.ts";
import { mcpSettings } from "../../../src/service/settings/mcp-config.ts";
import { modelSettings } from "../../../src/service/settings/model-config.ts";
import { identitySettings } from "../../../src/service/settings/model-identity.ts";
import { serviceSettings } from "../../../src/service/settings/service-settings.ts";
import { signInSettings } from "../../../src/service/settings/sign-in-config.ts";
import { traceSettings } from "../../../src/service/settings/traces-config.ts";

/** Those whose names are written in the service's sources. */
const writtenSettings = {
  ...serviceSettings,
  ...s3Settings,
  ...modelSettings,
  ...acpSettings,
  ...sandboxSettings,
  ...egressSettings,
  ...mcpSettings,
  ...signInSettings,
  ...traceSettings,
};

const settings: Readonly<Record<string, Setting<unknown>>> = {
  ...writtenSettings,
  ...identitySettings,
  ...inputSettings,
  ...modelInputSettings,
};

type Bounds = { readonly taken: readonly string[]; readonly refused: readonly string[] };

/** By what the kind of a setting states of its values. */
const stated: readonly (readonly [RegExp, (first: number, last: number) => Bounds])[] = [
  [
    /^an integer from (\d+) to (\d+)/,
    (min, max) => ({ taken: [`${min}`, `${max}`], refused: [`${min - 1}`, `${max + 1}`] }),
  ],
  [
    /^a duration .* from (1) s to (\d+) s/,
    (min, max) => ({ taken: [`${min}s`, `${max}`], refused: [`${min - 1}s`, `${max + 1}s`] }),
  ],
  [
    /^US dollars from ([\d.]+) to ([\d.]+)/,
    (min, max) => ({ taken: [`${min}`, `${max}`], refused: [`${max}.01`, ...(min > 0 ? ["0"] : [])] }),
  ],
  [
    /\b(at) most (\d+) characters/,
    (_, most) => ({ taken: ["a".repeat(most)], refused: ["a".repeat(most + 1)] }),
  ],
  [
    /^a comma-separated list of (at) most (\d+) models/,
    (_, most) => ({ taken: [listOf(most)], refused: [listOf(most + 1)] }),
  ],
  [/^a number from (\d+) to (\d+)/, (min, max) => ({ taken: [`${min}`, `${max}`], refused: [`${max}.1`] })],
  [
    /^a JSON Schema: a JSON object of (at) most (\d+) bytes/,
    (_, most) => ({ taken: [schemaOf(most)], refused: [schemaOf(most + 1)] }),
  ],
];

function listOf(items: number): string {
  return Array.from({ length: items }, (_, at) => `m-${at}`).join(", ");
}

function schemaOf(bytes: number): string {
  const description = "a".repeat(bytes - JSON.stringify({ description: "" }).length);
  return JSON.stringify({ description });
}

const bounded = Object.entries(settings).flatMap(([name, { kind }]) => {
  for (const [form, boundsOf] of stated) {
    const found = form.exec(kind.allowed);
    if (found !== null) return [{ name, kind, ...boundsOf(Number(found[1]), Number(found[2])) }];
  }
  return [];
});

it("knows dozens of bounds", () => {
  expect(bounded.length).toBeGreaterThan(30);
  const unread = Object.entries(settings).filter(
    ([name, { kind }]) =>
      /\bfrom \d|at most \d/.test(kind.allowed) && !bounded.some((one) => one.name === name),
  );
  expect(unread.map(([name, { kind }]) => `${name}: ${kind.allowed}`)).toEqual([]);
});

it.each(bounded)("$name", ({ kind, taken, refused }) => {
  expect(taken.filter((text) => !kind.decode(text).ok)).toEqual([]);
  expect(refused.filter((text) => kind.decode(text).ok)).toEqual([]);
});

const SERVICE = join(import.meta.dirname, "../../../src/service");
const code = readdirSync(SERVICE, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => withoutTexts(readFileSync(join(SERVICE, path), "utf8")))
  .join("\n");

/** A setting in a comment or in a message is not read. A text that is a name alone may be the key of a table. */
function withoutTexts(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, (text) => (/^"[A-Z0-9_]+"$/.test(text) ? text : '""'));
}

it.each(Object.keys(writtenSettings))("%s is read where the service is configured", (name) => {
  const places = code.match(new RegExp(`\\b${name}\\b`, "g")) ?? [];
  expect(places.length, "It is declared, and nothing takes its value.").toBeGreaterThan(1);
});
