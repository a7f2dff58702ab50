// Whether a task group takes workers. No schema loads here. Pure.

export const taskGroupStatuses = ["open", "stopped"] as const;
export type TaskGroupStatus = (typeof taskGroupStatuses)[number];
