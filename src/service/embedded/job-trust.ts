// Whether who wrote what a job works on may execute commands on its machine anyway. Pure.

/** Events that only somebody who can write to the repository starts, on files that writers made. */
const writerEvents = new Set([
  "local",
  "push",
  "schedule",
  "workflow_dispatch",
  "repository_dispatch",
  "release",
]);

/** False for a pull request too, whoever's it is: a fork's has the same name. */
export function isWritersEvent(job: { readonly event: string; readonly baseRef: string | null }): boolean {
  return job.baseRef === null && writerEvents.has(job.event);
}
