// The fields of an answer, held to their kinds.

import { type Answer, member } from "./exchange.ts";
import { expectThat } from "./expect.ts";
import type { FieldKind } from "./field-kinds.ts";

/** Each field below `at` is of its kind. */
export function expectFields(
  answer: Answer,
  kinds: Readonly<Record<string, FieldKind>>,
  ...at: readonly (string | number)[]
): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const value = member(answer.json, ...at, name);
    expectThat(kind.holds(value), `${[...at, name].join(".")} is ${kind.says}`, answer);
  }
}
