// The table of tools in docs/mcp.md, between two marks: the rest of that page is written by hand.

import { toolSets } from "../../src/contract/tool-sets.ts";
import { toolsOfSets } from "../../src/service/api/mcp/tool-table.ts";

const BEGIN = "<!-- tools, written by npm run docs -->\n";
const END = "<!-- end of tools -->";

/** The page with the tools that there are. Throws where it lacks the marks. */
export function withToolRows(page: string): string {
  const [before, rest = "", ...more] = page.split(BEGIN);
  const at = rest.indexOf(END);
  if (before === undefined || at === -1 || more.length > 0) {
    throw new Error(`docs/mcp.md must have "${BEGIN.trim()}" once, and "${END}" behind it.`);
  }
  return `${before}${BEGIN}\n${toolRows()}\n\n${rest.slice(at)}`;
}

function toolRows(): string {
  const rows = toolSets.flatMap((set) =>
    toolsOfSets[set].map(
      ({ listing: { name, description } }) => `| \`${set}\` | \`${name}\` | ${description} |`,
    ),
  );
  return ["| Set | Tool | What it says of itself |", "| --- | --- | --- |", ...rows].join("\n");
}
