import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../../src/service/executor/tools/tool.ts";

const folder = join(import.meta.dirname, "../../../../src/service/executor/tools");

/** What a factory of a tool is given here: it reads nothing of it before it is called. */
const parts = new Proxy(() => parts, {
  get: (_target, name) =>
    name === Symbol.iterator ? [][Symbol.iterator] : name === Symbol.toPrimitive ? () => "" : parts,
}) as never;

function isTool(value: unknown): value is Tool<unknown> {
  return (
    typeof value === "object" && value !== null && "name" in value && "run" in value && "jsonSchema" in value
  );
}

/** Every tool of the folder: those that are constants, and those that a function `…Tool` makes. */
async function everyTool(): Promise<Tool<unknown>[]> {
  const tools: Tool<unknown>[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".ts"))) {
    const exports: Record<string, unknown> = await import(join(folder, file));
    for (const [name, value] of Object.entries(exports)) {
      if (isTool(value)) tools.push(value);
      else if (
        typeof value === "function" &&
        name.endsWith("Tool") &&
        name !== "defineTool" &&
        name !== "attemptTool" &&
        name !== "callTool"
      )
        tools.push((value as (parts: never, more: never) => Tool<unknown>)(parts, parts));
    }
  }
  return tools;
}

type Schema = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

function undescribed(schema: Schema, path: string): string[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, property]) => [`${path}.${name}`, property] as const,
    ),
    ...Object.entries(schema.items?.properties ?? {}).map(
      ([name, property]) => [`${path}[].${name}`, property] as const,
    ),
  ];
  return inner.flatMap(([at, one]) => [
    ...((one.description ?? "").length < 5 ? [at] : []),
    ...undescribed(one, at),
  ]);
}

describe("every tool", () => {
  it("says what it does and what each of its parameters is", async () => {
    const tools = await everyTool();
    expect(tools.length).toBeGreaterThanOrEqual(16);
    for (const { name, description, jsonSchema } of tools) {
      expect(description.length, name).toBeGreaterThan(20);
      expect(undescribed(jsonSchema, name)).toEqual([]);
    }
  });
});
