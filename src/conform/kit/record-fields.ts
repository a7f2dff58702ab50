// Statements about the fields of a record: one for each field, from a table. The record is read once.

import { type Answer, member } from "./exchange.ts";
import { expectThat } from "./expect.ts";
import { absent, type FieldKind } from "./field-kinds.ts";
import type { Need, Statement } from "./statement.ts";
import type { World } from "./world.ts";

type RecordTable = {
  readonly prefix: string;
  readonly section: string;
  /** The subject of each sentence, such as "A new agent". */
  readonly what: string;
  readonly needs?: readonly Need[];
  /** The answer that has the record: the same one for every field. */
  readonly read: (world: World) => Promise<Answer>;
  /** The path of the record in the answer's body; the body itself where it is left out. */
  readonly at?: readonly (string | number)[];
  /** By their names; parts of a name are joined by dots. */
  readonly fields: Readonly<Record<string, FieldKind>>;
};

export function recordStatements(table: RecordTable): readonly Statement[] {
  const { prefix, section, what, needs = [], read, at = [], fields } = table;
  return Object.entries(fields).map(([name, kind]) => {
    const says = kind === absent ? `${what} has no "${name}".` : `${what} has "${name}": ${kind.says}.`;
    return {
      id: `${prefix}.${name}`,
      section,
      says,
      needs,
      check: async (world) => {
        const answer = await world.once(`record ${prefix}`, () => read(world));
        const value = member(answer.json, ...at, ...name.split("."));
        expectThat(kind.holds(value), `${[...at, name].join(".")} is ${kind.says}`, answer);
      },
    };
  });
}
