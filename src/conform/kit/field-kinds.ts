// Kinds of fields, as the specification's tables name them. Pure.

import { isObject } from "../../base/json.ts";

export type FieldKind = { readonly says: string; readonly holds: (value: unknown) => boolean };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export const uuid: FieldKind = {
  says: "a UUID",
  holds: (value) => typeof value === "string" && UUID.test(value),
};
export const dateTime: FieldKind = {
  says: "a date and time by RFC 3339",
  holds: (value) => typeof value === "string" && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
};
export const text: FieldKind = { says: "a text", holds: (value) => typeof value === "string" };
export const filled: FieldKind = {
  says: "a text that is not empty",
  holds: (value) => typeof value === "string" && value !== "",
};
export const integer: FieldKind = { says: "an integer", holds: Number.isInteger };
export const number: FieldKind = { says: "a number", holds: (value) => typeof value === "number" };
export const boolean: FieldKind = { says: "true or false", holds: (value) => typeof value === "boolean" };
export const object: FieldKind = { says: "an object", holds: isObject };
export const array: FieldKind = { says: "an array", holds: Array.isArray };
export const absent: FieldKind = { says: "absent", holds: (value) => value === undefined };
export const nothing: FieldKind = { says: "null", holds: (value) => value === null };
export const url: FieldKind = {
  says: "an http address",
  holds: (value) => typeof value === "string" && /^https?:\/\/\S+$/.test(value),
};
export const decimal: FieldKind = {
  says: "a text of decimal digits",
  holds: (value) => typeof value === "string" && /^\d+$/.test(value),
};
export const objectId: FieldKind = {
  says: "the id of an object of git",
  holds: (value) => typeof value === "string" && /^[0-9a-f]{40}$/.test(value),
};

export function exactly(wanted: unknown): FieldKind {
  return { says: JSON.stringify(wanted), holds: (value) => JSON.stringify(value) === JSON.stringify(wanted) };
}

export function oneOf(...values: readonly string[]): FieldKind {
  return { says: `one of ${values.join(", ")}`, holds: (value) => values.includes(String(value)) };
}

export function either(...kinds: readonly FieldKind[]): FieldKind {
  return {
    says: kinds.map(({ says }) => says).join(" or "),
    holds: (value) => kinds.some(({ holds }) => holds(value)),
  };
}

/** Left out, or of the kind. */
export function optional(kind: FieldKind): FieldKind {
  return {
    says: `${kind.says}, where it is there`,
    holds: (value) => value === undefined || kind.holds(value),
  };
}

/** An array each of whose items has these fields. */
export function arrayOf(fields: Readonly<Record<string, FieldKind>>): FieldKind {
  const names = Object.entries(fields).map(([name, { says }]) => `${name} (${says})`);
  return {
    says: `an array whose items have ${names.join(", ")}`,
    holds: (value) =>
      Array.isArray(value) &&
      value.every(
        (item) =>
          typeof item === "object" &&
          item !== null &&
          Object.entries(fields).every(([name, kind]) => kind.holds(Reflect.get(item, name))),
      ),
  };
}
