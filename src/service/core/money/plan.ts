// The plans of accounts. Pure.

export const plans = ["registered_free", "subscribed"] as const;
export type Plan = (typeof plans)[number];
