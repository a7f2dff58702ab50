// The definition of a row: what does not compile, and how a record becomes a row and back.

import { describe, expect, it } from "vitest";
import { group, nullableGroup, row, type TableOf } from "../../../src/service/store/row.ts";
import {
  flag,
  integer,
  json,
  named,
  nullable,
  oneOf,
  optional,
  text,
} from "../../../src/service/store/row-columns.ts";

type Parcel = {
  readonly id: string;
  readonly sentAt: number | null;
  readonly state: "packed" | "sent";
  readonly isFragile: boolean;
  readonly tags: readonly string[];
  readonly note?: string;
  readonly from: { readonly city: string };
  readonly to: { readonly city: string; readonly floor: number } | null;
};

const tags = json((stored): readonly string[] => JSON.parse(stored));
const fields = {
  id: named("parcel_id", text),
  sentAt: nullable(integer),
  state: oneOf(["packed", "sent"]),
  isFragile: flag,
  tags,
  note: optional(text),
  from: group({ city: named("from_city", text) }),
  to: nullableGroup({ city: named("to_city", text), floor: named("to_floor", integer) }),
};
const parcelRow = row<Parcel>("parcels")(fields, { shelf: integer });

const parcel: Parcel = {
  id: "p1",
  sentAt: null,
  state: "packed",
  isFragile: true,
  tags: ["a"],
  from: { city: "Bern" },
  to: { city: "Rome", floor: 2 },
};
const stored: TableOf<typeof parcelRow> = {
  parcel_id: "p1",
  sent_at: null,
  state: "packed",
  is_fragile: 1,
  tags: '["a"]',
  note: null,
  from_city: "Bern",
  to_city: "Rome",
  to_floor: 2,
  shelf: 7,
};

describe("a row", () => {
  it("is written with every column, and read with every field", () => {
    expect(parcelRow.write(parcel, { shelf: 7 })).toStrictEqual(stored);
    expect(parcelRow.read(stored)).toStrictEqual(parcel);
    expect(parcelRow.columns.toSorted()).toEqual(Object.keys(stored).toSorted());
  });

  it("is without the record of a group where one of its columns is null", () => {
    const nowhere = { ...parcel, to: null };
    const row = parcelRow.write(nowhere, { shelf: 7 });
    expect(row).toStrictEqual({ ...stored, to_city: null, to_floor: null });
    expect(parcelRow.read(row)).toStrictEqual(nowhere);
    expect(parcelRow.read({ ...stored, to_floor: null })).toStrictEqual(nowhere);
  });

  it("has a field that a record may lack only where it is stored", () => {
    const noted = { ...parcel, note: "up" };
    expect(parcelRow.write(noted, { shelf: 7 })).toStrictEqual({ ...stored, note: "up" });
    expect(parcelRow.read({ ...stored, note: "up" })).toStrictEqual(noted);
    expect("note" in parcelRow.read(stored)).toBe(false);
  });

  it("shares nothing with the row before", () => {
    const [one, other] = [parcelRow.read(stored), parcelRow.read({ ...stored, parcel_id: "p2" })];
    expect([one.id, other.id]).toEqual(["p1", "p2"]);
    expect(parcelRow.write(parcel, { shelf: 1 })).not.toBe(parcelRow.write(parcel, { shelf: 1 }));
  });

  it("names the column of a value that no version wrote", () => {
    const text = 'Column parcels.state must be one of packed, sent, holds "lost".';
    expect(() => parcelRow.read({ ...stored, state: "lost" })).toThrow(text);
    expect(() => parcelRow.readField("state", "lost")).toThrow(text);
    expect(parcelRow.readField("state", "sent")).toBe("sent");
    expect(() => parcelRow.readField("to", null)).toThrow("parcels.to has no column of its own");
  });

  it("changes the columns of the fields that are given", () => {
    expect(parcelRow.change({})).toStrictEqual({});
    expect(parcelRow.change({ sentAt: 5, isFragile: undefined })).toStrictEqual({ sent_at: 5 });
    expect(parcelRow.change({ sentAt: null })).toStrictEqual({ sent_at: null });
    expect(parcelRow.change({ tags: [], isFragile: false })).toStrictEqual({ tags: "[]", is_fragile: 0 });
    expect(parcelRow.change({ to: null })).toStrictEqual({ to_city: null, to_floor: null });
    expect(() => parcelRow.change(JSON.parse('{"weight":1}'))).toThrow('parcels has no column for "weight"');
  });

  it("is replaced in all columns but its keys", () => {
    const small = row<{ readonly key: string; readonly value: string }>("small")({ key: text, value: text });
    expect(Object.keys(small.replacing("key"))).toEqual(["value"]);
  });
});

// The compiler says that each of these is an error: `tsc` fails where one is none.
function notCompiled(change: { readonly weight: number }): unknown {
  const { sentAt: _sentAt, ...withoutOne } = fields;
  return [
    // @ts-expect-error a field has no column
    row<Parcel>("parcels")(withoutOne),
    // @ts-expect-error a column has no field
    row<Parcel>("parcels")({ ...fields, weight: integer }),
    // @ts-expect-error the column of a field that may be null may not
    row<Parcel>("parcels")({ ...fields, sentAt: integer }),
    // @ts-expect-error the column of a field that is never null may be
    row<Parcel>("parcels")({ ...fields, isFragile: nullable(flag) }),
    // @ts-expect-error one of the field's values is missing
    row<Parcel>("parcels")({ ...fields, state: oneOf(["packed"]) }),
    // @ts-expect-error a value is not the field's
    row<Parcel>("parcels")({ ...fields, state: oneOf(["packed", "sent", "lost"]) }),
    // @ts-expect-error the column of a field that a record may lack is not optional
    row<Parcel>("parcels")({ ...fields, note: text }),
    // @ts-expect-error a field of the group has no column
    row<Parcel>("parcels")({ ...fields, to: nullableGroup({ city: text }) }),
    // @ts-expect-error a column of the group has no field
    row<Parcel>("parcels")({ ...fields, from: group({ city: text, floor: integer }) }),
    // @ts-expect-error a group that may be null is one that is never
    row<Parcel>("parcels")({ ...fields, to: group({ city: text, floor: integer }) }),
    // @ts-expect-error the store's own column is not given
    parcelRow.write(parcel),
    // @ts-expect-error a change of what no column holds
    parcelRow.change(change),
    // @ts-expect-error no such column
    parcelRow.replacing("weight"),
  ];
}
void notCompiled;
