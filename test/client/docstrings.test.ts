// Every export of the client library, and every member of one, has a docstring.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientLibrary } from "../../scripts/docs/client-library.ts";
import { undocumentedExports } from "../support/documents/undocumented-exports.ts";

const PROJECT = join(import.meta.dirname, "../..");

describe("docstrings", () => {
  it("are at every export of the package and at each of its members", async () => {
    const { exports, methods } = await clientLibrary();
    const rows = exports.flatMap(({ name, about, members }) => [
      { name, about },
      ...members.map((member) => ({ name: `${name}.${member.name}`, about: member.about })),
    ]);
    expect(rows.length).toBeGreaterThan(200);
    expect(methods.length).toBeGreaterThan(140);
    expect(rows.filter(({ about }) => about.length < 5).map(({ name }) => name)).toEqual([]);
  });

  it("are at every export of src/client, the package's own and others", () => {
    expect(undocumentedExports(PROJECT, "src/client")).toEqual([]);
  });

  it("are missed by name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "docstrings-"));
    try {
      await writeFile(join(folder, "tsconfig.json"), '{ "files": ["one.ts"] }');
      await writeFile(
        join(folder, "one.ts"),
        "/** Told. */\nexport const told = 1;\nexport type Untold = 2;\nconst own = 3;\nexport { own };\n",
      );
      expect(undocumentedExports(folder, ".")).toEqual(["one.ts: Untold", "one.ts: own"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("tell of a method which options it takes, and of a type of the wire which schema it has", async () => {
    const { exports, methods } = await clientLibrary();
    expect(methods).toContainEqual({
      noun: "runs",
      name: "submit",
      options: ["agentId", "body", "idempotencyKey?"],
    });
    expect(exports.find(({ name }) => name === "WorkspaceCopy")).toMatchObject({
      kind: "wire",
      schema: "WorkingCopy",
    });
    expect(exports.find(({ name }) => name === "createClient")).toMatchObject({
      kind: "function",
      signature: "function createClient(options: ClientOptions): Client",
    });
  });
});
