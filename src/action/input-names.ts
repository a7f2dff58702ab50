// Inputs that the step was given and does not have. Pure.
// Why: docs/decisions/033-undeclared-inputs.md

import { nearestName } from "../base/nearest-name.ts";

const PREFIX = "INPUT_";

/** The names of the inputs that the runner passed, in lower case. A given input without a value has a name too. */
export function givenInputs(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length).toLowerCase());
}

/** One line for each given name that is not declared, with the nearest that is. */
export function faultsOfNames(given: readonly string[], declared: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (declared.includes(name)) return [];
    const nearest = nearestName(name, declared);
    // An environment variable has no hyphen: such a name comes from "with:".
    if (nearest === null && !name.includes("-")) return [];
    const advice =
      nearest === null ? "Remove it: action.yml lists the inputs." : `Did you mean "${nearest}"?`;
    return [`Input "${name}" does not exist. ${advice}`];
  });
}
