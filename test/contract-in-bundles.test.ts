// What bundles take of the contract: no schema that nothing uses, and no text where none is shown.

import { build } from "esbuild";
import { expect, it } from "vitest";
import { contractInBundles, withoutEffects, withoutTexts } from "../scripts/contract-in-bundles.ts";

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    minifySyntax: true,
    plugins: [contractInBundles()],
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("");
}

it("takes a noun's words without its schemas, its routes and zod", async () => {
  const words = await bundled(
    'import { memberRoles } from "../src/contract/workspaces/members.ts"; console.log(memberRoles);',
  );
  expect(words).toContain('["manager", "worker"]');
  expect(words).not.toContain("Zod");
  expect(words.length).toBeLessThan(500);
});

it("takes where routes are without their schemas", async () => {
  const path = await bundled(
    'import * as endpoints from "../src/contract/endpoints.ts"; console.log(endpoints.members.add.path);',
  );
  expect(path).toContain("/v1/workspaces/{workspaceID}/members");
  const addresses = await bundled(
    'import { workspaceAddresses } from "../src/contract/endpoints.ts"; console.log(workspaceAddresses);',
  );
  expect(addresses).toContain("/v1/workspaces/{workspaceID}/members");
  expect(addresses).not.toContain("Zod");
});

it("takes of an answer's module the schema alone, at the first answer", async () => {
  const source =
    'import * as endpoints from "../src/contract/endpoints.ts"; console.log(await endpoints.members.add.answer());';
  const answer = await bundled(source);
  expect(answer).toContain("ZodMiniUUID");
  expect(answer).not.toContain("Let an agent of the account work in a workspace");
});

it("drops the texts of fields", async () => {
  const source =
    'import { memberSchema } from "../src/contract/workspaces/members.ts"; console.log(memberSchema);';
  expect(await bundled(source)).not.toContain("The member's id.");
});

it("cuts fields within fields, and marks constants by their own ends", () => {
  expect(withoutTexts('const a = field(z.array(field(b, "é")), `x ${c}`);')).toBe(
    "const a = (z.array((b)));",
  );
  expect(withoutEffects('export const a = ["é"], b = f(a);\nconst c = "d";')).toBe(
    'export const a = ["é"], b = /* @__PURE__ */ (() => (f(a)))();\nconst c = "d";',
  );
});
