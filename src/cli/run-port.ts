// The recipe's port in `agent-service run`: flags in; log, files and pages out.

import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { fetchTransport } from "../client/transport.ts";
import { ciProviders } from "../contract/ci/providers.ts";
import { policyOf } from "../contract/egress.ts";
import type { PullRequest } from "../contract/runs/pull-request.ts";
import { commandWords } from "../job/command-words.ts";
import { type CommitPlace, commitWords } from "../job/git/commit-place.ts";
import type { JobPort } from "../job/job-port.ts";
import { attemptsOf, boundsOf, type JobSubmission } from "../job/job-settings.ts";
import { sentServers } from "../job/mcp-servers.ts";
import type { Interrupts } from "../job/signals.ts";
import { refusedLines, writtenLines } from "../render/outputs-section.ts";
import { CommandError } from "./command-error.ts";
import { sayEnding } from "./run-end.ts";
import { announceRun, openRunLog } from "./run-log.ts";
import { note } from "./run-notes.ts";
import type { RunOutputs } from "./run-outputs.ts";
import { writePages } from "./run-pages.ts";
import { writeResultFiles } from "./run-result.ts";
import type { RunSettings } from "./run-settings.ts";
import type { CommandTypes, RunSurroundings } from "./run-types.ts";
import { version } from "./version.ts";

export function commandPort(
  surroundings: RunSurroundings & { readonly interrupts: Interrupts },
): JobPort<CommandTypes> {
  const { settings, origin, service, pullRequest, outputs, interrupts } = surroundings;
  const { job } = origin;
  return {
    clock: systemClock,
    interrupts,
    transport: fetchTransport,
    userAgent: `agent-service-command/${version}`,
    words: commandWords(job?.provider ?? null),
    claimObstacle: job === null ? null : ciProviders[job.provider].claimObstacle,
    readSettings: async () => ({ ...settings, wait: true }),
    planJob: async () => {
      const prepared = (await outputs?.prepare(interrupts.first)) ?? noOutputs;
      const body = runBody(settings, { pullRequest, prepared });
      return { task: { type: "run", body, job, matrix: "", continues: null }, threadPhrase: null };
    },
    // Opened before the recipe: wrong settings of a service are a usage error, and no conclusion.
    openService: async () => service,
    // Not every CI provider can mask a value. Tokens are never printed.
    setSecret: () => {},
    keepGrant: () => {},
    commitPlace: () => commitPlace(surroundings),
    keepRun: () => {},
    announce: ({ run }) => announceRun(run, settings.format),
    openLog: async ({ run }) => openRunLog(surroundings, run),
    conclude: async () => ({
      handOver: async ({ log }) => {
        const written = (await outputs?.write(log.report, interrupts.first)) ?? null;
        for (const line of written === null ? [] : [...writtenLines(written), ...refusedLines(written)])
          note(line);
        return { delivery: null, attestation: null, findings: null, outputs: written };
      },
      withhold: () => null,
      publications: (ending) => [
        { what: "output folder", write: () => writeResultFiles(ending, surroundings) },
        { what: "page of this CI", write: () => writePages(ending, surroundings) },
      ],
      sayEnding: (ending) => sayEnding(ending, surroundings),
    }),
    note,
    warn: note,
  };
}

type Prepared = Awaited<ReturnType<RunOutputs["prepare"]>>;

const noOutputs: Prepared = { outputs: null, text: "" };

function runBody(
  {
    prompt,
    sessionId,
    maxTurnTokens,
    maxCostMicroUsd,
    timeoutMs,
    outputSchema,
    setup,
    egress,
    mcpServers,
    attempts,
  }: RunSettings,
  { pullRequest, prepared }: { readonly pullRequest: PullRequest | null; readonly prepared: Prepared },
): JobSubmission {
  return {
    message: prepared.text === "" ? prompt : `${prompt}\n\n${prepared.text}`,
    session_id: sessionId ?? undefined,
    max_turn_tokens: maxTurnTokens ?? undefined,
    ...boundsOf({ maxCostMicroUsd, timeoutMs }),
    ...attemptsOf(attempts),
    output_schema: outputSchema ?? undefined,
    setup: setup?.path,
    egress: egress === null ? undefined : policyOf(egress),
    mcp_servers: mcpServers === null ? undefined : sentServers(mcpServers),
    pull_request: pullRequest ?? undefined,
    may_park: true,
    // It pushes nothing.
    delivers: undefined,
    // Its request is its message.
    about: undefined,
    // The command has no flags for these.
    messages: undefined,
    session_key: undefined,
    new_session: undefined,
    outputs: prepared.outputs ?? undefined,
  };
}

/** The checkout that the job's CI made in this folder, and nowhere else. */
async function commitPlace({ env, origin }: RunSurroundings): Promise<CommitPlace> {
  const { job } = origin;
  if (job === null) throw new CommandError("Only a CI job has a commit to send.");
  const { hasRepositoryName } = providerDefinitions[job.provider].environment;
  return {
    env,
    root: (await findCheckoutRoot(process.cwd())) ?? process.cwd(),
    tempFolder: tmpdir(),
    host: null,
    repository: hasRepositoryName ? job.repository.name : null,
    words: commitWords(job, null),
  };
}
