// The fields of the predicate of an attested commit, for the page that explains it. Pure.

import type * as z from "zod/mini";
import { agentRunSchema } from "../../src/contract/attestations/agent-run.ts";
import { textOf } from "../../src/contract/field.ts";
import { markdownTable } from "./markdown-table.ts";

const BEGIN = "<!-- Fields, written by `npm run docs`. -->\n";
const END = "<!-- End of fields. -->";

/** The page with the table between its marks. */
export function withPredicateRows(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error("docs/attested-commits.md has no marks of fields.");
  const table = markdownTable(["Field", "What it says"], rowsOf(agentRunSchema, ""));
  return `${before}${BEGIN}\n${table}\n\n${END}${after}`;
}

function rowsOf(schema: z.core.$ZodType, path: string): [string, string][] {
  const { object, isList } = objectIn(schema);
  if (object === null) return [];
  const prefix = path === "" ? "" : `${path}${isList ? "[]" : ""}.`;
  return Object.entries(object).flatMap(([name, field]) => {
    const own: [string, string] = [`\`${prefix}${name}\``, textOf(field) ?? ""];
    return [own, ...rowsOf(field, `${prefix}${name}`)];
  });
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The object that a field may hold, alone or in a list. */
function objectIn(schema: z.core.$ZodType): { readonly object: Shape | null; readonly isList: boolean } {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return { object: def.shape, isList: false };
  if (def.type === "nullable" || def.type === "optional") return objectIn(def.innerType);
  if (def.type === "array") return { object: objectIn(def.element).object, isList: true };
  return { object: null, isList: false };
}
