// Why a pin is not made or not found. Pure.

export type PinRefusal =
  | { readonly reason: "pin_not_found"; readonly pinId: string }
  | { readonly reason: "pin_time_passed"; readonly until: number; readonly now: number };
