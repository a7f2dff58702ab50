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

// The compiler says that each of these is an error: `tsc` fails where one is none.
function notCompiled(body: ParcelRequest): unknown {
  return [
    // @ts-expect-error the record has no such field
    fieldsOfParcel({ ...body, weight: 1 }),
    // @ts-expect-error the record's is another type
    fieldsOfParcel({ ...body, note: 1 }),
    // @ts-expect-error the record's is never null
    fieldsOfParcel({ ...body, note: null }),
  ];
}
void notCompiled;
