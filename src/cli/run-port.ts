// The recipe's port in `agent-service run`: flags in; log, files and pages out.

import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { readChange as readMergeRequestChange } from "../ci/gitlab.ts";
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
import type { CommandTypes, RunSurroundings } from "./run-types.ts";
import { version } from "./version.ts";
import { nothingPrepared, type PreparedWriteBack } from "./write-back-settings.ts";

export function commandPort(
  surroundings: RunSurroundings & { readonly interrupts: Interrupts },
): JobPort<CommandTypes> {
  const { settings, origin, service, outputs, writeBack, interrupts } = surroundings;
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
      const written = (await writeBack?.prepare(interrupts.first)) ?? nothingPrepared;
      const body = runBody(surroundings, { prepared, written });
      return { task: { type: "run", body, job, matrix: "", continues: null }, threadPhrase: null };
    },
    // Opened before the recipe: wrong settings of a service are a usage error, and no conclusion.
    openService: async () => service,
    // Not every CI provider can mask a value. Tokens are never printed.
    setSecret: () => {},
    keepGrant: () => {},
    commitPlace: () => commitPlace(surroundings),
    keepRun: () => {},
    announce: ({ run }) => {
      announceRun(run, settings.format);
      writeBack?.begin(run);
    },
    openLog: async ({ run }) => openRunLog(surroundings, run),
    conclude: async () => ({
      handOver: async (following) => {
        const handed = await writeBack?.handOver(following, settings.prompt);
        const written = (await outputs?.write(following.log.report, interrupts.first)) ?? null;
        for (const line of written === null ? [] : [...writtenLines(written), ...refusedLines(written)])
          note(line);
        return {
          delivery: handed?.delivery ?? null,
          attestation: null,
          findings: handed?.findings ?? null,
          outputs: written,
        };
      },
      withhold: (following) => writeBack?.withhold(following) ?? null,
      publications: (ending) => [
        ...(writeBack === null
          ? []
          : [{ what: "comment", write: () => writeBack.conclude(ending, interrupts.first) }]),
        { what: "output folder", write: () => writeResultFiles(ending, surroundings) },
        { what: "page of this CI", write: () => writePages(ending, surroundings) },
        // The last of all: it says where the others are.
        ...(writeBack === null
          ? []
          : [
              {
                what: "report to the service",
                write: () => writeBack.report(ending, interrupts.last),
              },
            ]),
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
  { settings, env, service, pullRequest }: RunSurroundings,
  { prepared, written }: { readonly prepared: Prepared; readonly written: PreparedWriteBack },
): JobSubmission {
  const { prompt, sessionId, maxTurnTokens, maxCostMicroUsd, timeoutMs, outputSchema } = settings;
  const { setup, egress, mcpServers, attempts } = settings;
  const parts = [prompt, prepared.text, written.text].filter((part) => part !== "");
  return {
    message: parts.join("\n\n"),
    session_id: sessionId ?? undefined,
    max_turn_tokens: maxTurnTokens ?? undefined,
    ...boundsOf({ maxCostMicroUsd, timeoutMs }),
    // A review changes nothing that checks could compare.
    ...attemptsOf(written.isReview ? { bestOf: 1, bestOfModels: null } : attempts),
    output_schema: outputSchema ?? written.outputSchema,
    setup: setup?.path,
    egress: egress === null ? undefined : policyOf(egress),
    mcp_servers: mcpServers === null ? undefined : sentServers(mcpServers),
    pull_request: pullRequest ?? (written.isReview ? reviewedHead(env) : undefined),
    may_park: true,
    delivers: written.writes && service.type === "remote" ? true : undefined,
    // Its request is its message.
    about: undefined,
    // The command has no flags for these.
    messages: undefined,
    session_key: sessionId === null ? written.sessionKey : undefined,
    new_session: undefined,
    outputs: prepared.outputs ?? undefined,
  };
}

/** The head of the merge request: what a review is of. A service fetches it, and the base beside it. */
function reviewedHead(env: Environment): PullRequest | undefined {
  const change = readMergeRequestChange(env);
  if (change === null) return undefined;
  const { number, headSha, baseRef } = change;
  return { number, head_sha: headSha, base_ref: baseRef };
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
