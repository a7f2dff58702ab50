// Runs the offline backend over a checkout, or over files, and keeps what it said.

import type { Checkout } from "../../../../../src/service/core/checkouts/checkout.ts";
import type { RepositoryTask } from "../../../../../src/service/executor/backend.ts";
import { offlineBackend } from "../../../../../src/service/executor/backends/offline/offline.ts";
import { folderCheckout } from "../../tools/folder-checkout.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";

export async function runOffline(
  checkout: Checkout,
  changes: Partial<RepositoryTask> = {},
  recorder = new TaskRecorder(),
): Promise<TaskRecorder> {
  if (!offlineBackend.needsCheckout) throw new Error("offline needs a checkout.");
  await offlineBackend.run(recorder.task({ sha: checkout.headSha, ...changes }), checkout);
  return recorder;
}

/** The briefing of a folder with these files; `parts` replaces what git would have answered. */
export async function briefingOf(
  files: Readonly<Record<string, string | Buffer>>,
  options: { readonly parts?: Partial<Checkout>; readonly task?: Partial<RepositoryTask> } = {},
): Promise<string> {
  const checkout = await folderCheckout(files);
  try {
    return (await runOffline({ ...checkout, ...options.parts }, options.task)).text();
  } finally {
    await checkout.close();
  }
}
