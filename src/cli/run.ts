// agent-service run: a run of an agent, from the CI job that this process is in, or on the checkout in this folder.

import { jobEnvironment } from "../ci/environment.ts";
import type { Ending } from "../job/ending.ts";
import { runJob } from "../job/run-job.ts";
import { listenForInterrupts } from "../job/signals.ts";
import { DEFAULT_OUTPUT_DIR, noFiles, openRunFiles, type RunFiles } from "./run-files.ts";
import type { DeclaredOutputs, OutputsPlace, RunOutputs } from "./run-outputs.ts";
import { commandPort } from "./run-port.ts";
import { findOrigin, type RunOrigin } from "./run-service.ts";
import type { RunSettings } from "./run-settings.ts";
import type { WriteBack, WritingJob } from "./run-write-back.ts";

const REVOKE_MS = 5_000;

/** Resolves to the exit code: 1 for the conclusions that --fail-on names. Throws CommandError and UsageError. */
export async function run(settings: RunSettings, declared: DeclaredOutputs | null): Promise<number> {
  const env = jobEnvironment;
  const origin = await findOrigin(settings.service, env);
  const outputs = await openOutputs(declared, { env, job: origin.job, service: settings.service.type });
  const writeBack = await openWriter(settings, { env, job: origin.job, service: settings.service.type });
  const files = await openFiles(settings, origin);
  const interrupts = listenForInterrupts();
  try {
    const opened = await origin.openService(interrupts.first);
    const ending = await runJob(
      commandPort({ env, settings, interrupts, origin, outputs, writeBack, files, ...opened }),
    );
    await revokeCapability(ending);
    return ending.fails ? 1 : 0;
  } finally {
    await files.close();
    interrupts.close();
  }
}

/** The client of the code host is loaded where there is something to write. Rejects with UsageError. */
async function openOutputs(
  declared: DeclaredOutputs | null,
  place: OutputsPlace,
): Promise<RunOutputs | null> {
  if (declared === null) return null;
  const { openRunOutputs } = await import("./run-outputs.ts");
  return openRunOutputs(declared, place);
}

async function openWriter({ writeBack }: RunSettings, place: WritingJob): Promise<WriteBack | null> {
  if (writeBack === null) return null;
  const { openWriteBack } = await import("./run-write-back.ts");
  return await openWriteBack(writeBack, place);
}

/** In a CI job there is always a folder; elsewhere only where --output-dir names one. */
async function openFiles({ outputDir }: RunSettings, { job }: RunOrigin): Promise<RunFiles> {
  const folder = outputDir ?? (job === null ? null : DEFAULT_OUTPUT_DIR);
  return folder === null ? noFiles : await openRunFiles(folder);
}

/** Not needed any more, unless the run was cancelled and not seen to end. A failure is no loss: it expires by itself. */
async function revokeCapability({ progress, outcome }: Ending): Promise<void> {
  if (!("grant" in progress) || progress.service.type === "embedded" || outcome.type === "stopping") return;
  await progress.client.ci.revoke({ signal: AbortSignal.timeout(REVOKE_MS) }).catch(() => {});
}
