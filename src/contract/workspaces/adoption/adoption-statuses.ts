// How an adoption stands. No schema loads here. Pure.

export const adoptionStatuses = ["running", "ready", "failed", "cancelled", "rolled_back"] as const;
export type AdoptionStatus = (typeof adoptionStatuses)[number];
