// What a request sets of a record: what does not compile, and what is left out.

import { expect, it } from "vitest";
import { fieldsOn } from "../../../../src/service/core/ports/record-fields.ts";

type Parcel = { readonly id: string; readonly maxWeight: number | null; readonly note?: string };
type ParcelRequest = { max_weight?: number | null | undefined; note?: string | undefined };

const fieldsOfParcel = fieldsOn<Parcel>();

it("are what the body names, by the record's names", () => {
  const of = (body: ParcelRequest) => fieldsOfParcel(body);
  expect(of({})).toStrictEqual({});
  expect(of({ max_weight: undefined, note: "up" })).toStrictEqual({ note: "up" });
  expect(of({ max_weight: null })).toStrictEqual({ maxWeight: null });
  const change: Partial<Parcel> = of({ max_weight: 0 });
  expect(change).toStrictEqual({ maxWeight: 0 });
});

// Each line is a mistake that the types have to refuse. A directive that meets no error is an error itself: `npm run types` fails once one
// of them compiles.
function notCompiled(body: ParcelRequest): unknown {
  return [
    // @ts-expect-error The record has no `weight`: it would be answered 200 and lost.
    fieldsOfParcel({ ...body, weight: 1 }),
    // @ts-expect-error `note` of the record is a text, and the body has a number.
    fieldsOfParcel({ ...body, note: 1 }),
    // @ts-expect-error `note` of the record is never null, and the body has null.
    fieldsOfParcel({ ...body, note: null }),
  ];
}
void notCompiled;
