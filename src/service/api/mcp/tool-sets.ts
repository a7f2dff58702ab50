// The tools that a request lists: those of the sets that its address, its header or its access token asks for. Any tool can be
// called, listed or not.
// Why: docs/decisions/125-tools-are-listed-in-sets.md

import type { Tool as ToolListing } from "@modelcontextprotocol/server";
import { nearestName } from "../../../base/nearest-name.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { type ToolSet, toolSets } from "../../../contract/tool-sets.ts";
import type { AccountCaller } from "../../core/accounts/caller.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";
import { callToolListing, describeTools } from "./reach-tools.ts";
import { toolsOfSets } from "./tool-table.ts";

const ALL = "all";
const DEFAULT = "default";

/** The sets of a request: `asked` has what its address and its header name, each a list with commas, or null. */
export function setsOf(
  caller: AccountCaller,
  asked: readonly (string | null)[],
): Result<readonly ToolSet[], PublicProblem> {
  const names = asked.flatMap((list) => list?.split(",") ?? []).map((name) => name.trim());
  const named = names.filter((name) => name !== "");
  const wanted = new Set<ToolSet>(named.length === 0 ? defaultSets(caller) : []);
  for (const name of named) {
    const sets = setsNamed(name, caller);
    if (sets === null) return refused(unknownSet(name));
    for (const set of sets) wanted.add(set);
  }
  return ok(toolSets.filter((set) => wanted.has(set)));
}

function setsNamed(name: string, caller: AccountCaller): readonly ToolSet[] | null {
  if (name === ALL) return toolSets;
  if (name === DEFAULT) return defaultSets(caller);
  const known = toolSets.find((set) => set === name);
  return known === undefined ? null : [known];
}

/** A token with a scope of workspaces was asked for by a client that wants them. Keys have no scopes, and say nothing. */
function defaultSets({ accessToken }: AccountCaller): readonly ToolSet[] {
  const scopes = accessToken?.scopes ?? [];
  return scopes.some((scope) => scope.startsWith("workspaces:")) ? ["agents", "workspaces"] : ["agents"];
}

function unknownSet(name: string): PublicProblem {
  const known = [...toolSets, ALL, DEFAULT];
  const nearest = nearestName(name, known);
  const advice = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  return invalidRequest(
    `There is no set of tools ${JSON.stringify(name.slice(0, 100))}.${advice} There are: ${known.join(", ")}.`,
  );
}

/** The listings of these sets: their tools, and the two by which a client reaches the others. */
export function listingsOf(sets: readonly ToolSet[]): readonly ToolListing[] {
  const listed = sets.flatMap((set) => toolsOfSets[set].map(({ listing }) => listing));
  const isWhole = toolSets.every((set) => sets.includes(set));
  return isWhole ? listed : [...listed, describeTools.listing, callToolListing];
}
