// The list of tools as clients get it, whole: names, titles, descriptions, schemas of arguments, hints; and scopes.

import { expect, it } from "vitest";
import { tools } from "../../../../src/service/api/mcp/tool-table.ts";

it("lists every tool as the golden file has it", async () => {
  const lines = tools.map(({ listing, scopes }) => JSON.stringify({ ...listing, scopes }, null, 2));
  await expect(`[\n${lines.join(",\n")}\n]\n`).toMatchFileSnapshot("./golden/tools.txt");
});
