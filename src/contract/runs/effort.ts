// How hard a run's model thinks, in the words of settings, inputs and flags. Each API has its own for it.

export const efforts = ["low", "medium", "high", "max"] as const;
export type Effort = (typeof efforts)[number];
