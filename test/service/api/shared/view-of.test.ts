// A record shown by the fields of a schema: what does not compile, and what is left out.

import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { field, object } from "../../../../src/contract/field.ts";
import { viewOf } from "../../../../src/service/api/shared/view-of.ts";

type Parcel = {
  readonly id: string;
  readonly accountId: string;
  readonly sentAt: number | null;
  readonly createdAt: number;
  readonly maxWeight: number | null;
  readonly note: string | null;
  readonly tags: readonly string[];
};

const shape = {
  id: field(z.string(), "Its id."),
  created_at: field(z.iso.datetime(), "When it was made."),
  sent_at: field(z.nullable(z.iso.datetime()), "When it was sent."),
  max_weight: field(z.optional(z.nullable(z.int())), "In kilograms."),
  note: field(z.optional(z.string()), "A text."),
};
const parcelSchema = object(shape);
const placedSchema = object({ ...shape, place: field(z.optional(z.string()), "Where it is.") });

const parcel: Parcel = {
  id: "p1",
  accountId: "a1",
  sentAt: null,
  createdAt: 0,
  maxWeight: null,
  note: null,
  tags: ["a"],
};

describe("a view", () => {
  const toParcel = viewOf<Parcel, "accountId" | "tags">()(parcelSchema);

  it("has the schema's fields alone, times as texts, and null where the schema takes it", () => {
    const created_at = "1970-01-01T00:00:00.000Z";
    expect(toParcel(parcel)).toStrictEqual({ id: "p1", created_at, sent_at: null, max_weight: null });
    const sent = { ...parcel, sentAt: 1_000, maxWeight: 0, note: "" };
    const sent_at = "1970-01-01T00:00:01.000Z";
    expect(toParcel(sent)).toStrictEqual({ id: "p1", created_at, sent_at, max_weight: 0, note: "" });
  });

  it("takes a field that is given, and leaves out one that is given as undefined", () => {
    expect(toParcel(parcel, { id: "p2", note: "up" })).toMatchObject({ id: "p2", note: "up" });
    expect("max_weight" in toParcel(parcel, { max_weight: undefined })).toBe(false);
    const toPlaced = viewOf<Parcel, "accountId" | "tags">()(placedSchema);
    expect(toPlaced(parcel, { place: "Bern" }).place).toBe("Bern");
    expect("place" in toPlaced(parcel, { place: undefined })).toBe(false);
  });
});

// Each line is a mistake that the types have to refuse. A directive that meets no error is an error itself: `npm run types` fails once one
// of them compiles.
function notCompiled(): unknown {
  const view = viewOf<Parcel, keyof Parcel>();
  return [
    // @ts-expect-error The record has `tags`. The schema does not show them, and they are not listed as left out.
    viewOf<Parcel, "accountId">()(parcelSchema),
    // @ts-expect-error `weight` is listed as left out, and the record has no such field.
    viewOf<Parcel, "accountId" | "tags" | "weight">()(parcelSchema),
    // @ts-expect-error The record has no `place`, so that it has to be given, and nothing is.
    view(placedSchema)(parcel),
    // @ts-expect-error The same where another field is given: `place` is still missing.
    view(placedSchema)(parcel, { note: "up" }),
    // @ts-expect-error `sentAt` of the record may be null, and `sent_at` of this schema may not.
    view(object({ sent_at: shape.created_at }))(parcel),
    // @ts-expect-error `maxWeight` of the record is a number, and `max_weight` of this schema is a text.
    view(object({ max_weight: shape.note }))(parcel),
    // @ts-expect-error The schema has no `weight`: nobody would see what is given.
    view(parcelSchema)(parcel, { weight: 1 }),
    // @ts-expect-error `note` of the schema is a text, and a number is given.
    view(parcelSchema)(parcel, { note: 1 }),
  ];
}
void notCompiled;
