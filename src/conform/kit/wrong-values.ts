// Values that a field must refuse, and the statements that ask for it: each field with each of them, from a table.

import { type Answer, member } from "./exchange.ts";
import { expectRefused, expectThat } from "./expect.ts";
import type { Statement } from "./statement.ts";
import type { World } from "./world.ts";

/** The name of a value in a sentence, and the value. */
export type Wrong = readonly [called: string, value: unknown];

const aNumber: Wrong = ["a number", 7];
const aText: Wrong = ["a text", "seven"];
const aBoolean: Wrong = ["true", true];
const nothing: Wrong = ["null", null];
const anArray: Wrong = ["an array", ["seven"]];
const anObject: Wrong = ["an object", { seven: 7 }];
const emptyText: Wrong = ["empty", ""];

export const notText: readonly Wrong[] = [aNumber, aBoolean, nothing, anArray, anObject];
export const notFilled: readonly Wrong[] = [...notText, emptyText];
export const notInteger: readonly Wrong[] = [
  aText,
  aBoolean,
  nothing,
  anArray,
  anObject,
  ["a number in a text", "7"],
  ["a fraction", 7.5],
];
export const notObject: readonly Wrong[] = [aText, aNumber, aBoolean, nothing, anArray];
export const notArray: readonly Wrong[] = [aText, aNumber, aBoolean, nothing, anObject];
export const notWord: readonly Wrong[] = [...notFilled, ["another word", "sometimes"]];
/** Values that no store keeps as they are. */
export const notStorable: readonly Wrong[] = [
  ["a text with NUL", "a\0b"],
  ["half of a surrogate pair", "a\ud800b"],
];
export const missing: Wrong = ["left out", undefined];

export function tooLong(chars: number): Wrong {
  return [`${chars + 1} characters long`, "x".repeat(chars + 1)];
}

export function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

type FieldTable = {
  readonly section: string;
  /** As it is called, such as "POST /v1/agents/{agentID}/runs". */
  readonly route: string;
  readonly method?: string;
  readonly path: (world: World) => Promise<string>;
  /** A body that is right but for the field. */
  readonly body: Readonly<Record<string, unknown>>;
  /** By the field's path: names and places in lists, joined by dots. */
  readonly fields: Readonly<Record<string, readonly Wrong[]>>;
};

/** Each refuses with 400 and names the field. Where a deployment takes it and makes something, that is taken away at the end. */
export function wrongValueStatements(table: FieldTable): readonly Statement[] {
  const { section, route, method = "POST", path, body, fields } = table;
  return Object.entries(fields).flatMap(([field, wrongs]) =>
    wrongs.map(
      ([called, value]): Statement => ({
        id: `wrong-value/${route}/${field}/${called}`,
        section,
        says: `${route} refuses "${field}" that is ${called}, and names it.`,
        check: async (world) => {
          const json = withAt(body, field.split("."), value);
          // Without the header of an idempotency key: the body's is not read beside it.
          const answer = await world.ask({ method, path: await path(world), json });
          takeAway(world, answer);
          expectNamed(expectRefused(answer, 400, "invalid_request"), field);
        },
      }),
    ),
  );
}

/** An unknown field is refused by its name, at whatever level it is. */
export function unknownFieldStatements(table: {
  readonly section: string;
  readonly route: string;
  readonly method?: string;
  readonly path: (world: World) => Promise<string>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Each unknown field by its path, and the one that it is taken for. */
  readonly fields: Readonly<Record<string, string | null>>;
}): readonly Statement[] {
  const { section, route, method = "POST", path, body, fields } = table;
  return Object.entries(fields).map(([field, meant]): Statement => {
    const advice = meant === null ? "" : ` and says that "${meant}" may be meant`;
    return {
      id: `unknown-field/${route}/${field}`,
      section,
      says: `${route} refuses the unknown field "${field}" by its name${advice}.`,
      check: async (world) => {
        const json = withAt(body, field.split("."), 7);
        const answer = await world.ask({ method, path: await path(world), json });
        takeAway(world, answer);
        expectNamed(expectRefused(answer, 400, "invalid_request"), field);
        const named = namedFields(answer).find((one) => member(one, "field") === field);
        expectThat(member(named, "reason") === "unknown_field", 'reason "unknown_field"', answer);
        const allowed = String(member(named, "allowed"));
        expectThat(meant === null || allowed.includes(`"${meant}"?`), `the advice "${meant}"`, answer);
      },
    };
  });
}

/** `fields` of the refusal has the field, or what is around it. */
export function expectNamed(answer: Answer, field: string): void {
  const names = namedFields(answer).map((one) => String(member(one, "field")));
  expectThat(names.includes(field), `fields that name ${JSON.stringify(field)}`, answer);
}

function namedFields({ json }: Answer): readonly unknown[] {
  const fields = member(json, "fields");
  return Array.isArray(fields) ? fields : [];
}

/** An agent that should not have been made. */
function takeAway(world: World, { asked, status, json }: Answer): void {
  const id = member(json, "id");
  if (status !== 201 || asked.path !== "/v1/agents" || typeof id !== "string") return;
  world.atEnd(`agent ${id}`, () => world.post(`/v1/agents/${id}/retire`, undefined));
}

/** The body with another value at a place. */
function withAt(body: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const inner = rest.length === 0 ? value : withAt(member(body, name), rest, value);
  if (!Array.isArray(body)) return { ...(body as object), [name]: inner };
  return body.map((item, place) => (String(place) === name ? inner : item));
}
