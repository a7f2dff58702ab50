// `mode: doctor`: one page on who this job is and whether the service takes it, in the log and in the summary. A bundle of
// its own under dist/, loaded only for this mode.

import { appendFile } from "node:fs/promises";
import * as core from "@actions/core";
import packageJson from "../../package.json" with { type: "json" };
import { systemClock } from "../base/clock.ts";
import { examineJob } from "../doctor/examine-job.ts";
import type { Outcome } from "../job/conclusion.ts";
import { renderDoctorMarkdown, renderDoctorText, verdictOf } from "../render/doctor-page.ts";
import type { ActionStep } from "./action-types.ts";
import { examineEmbedded } from "./embedded-service.ts";
import type { Inputs } from "./inputs.ts";
import { sayLine } from "./say-line.ts";

/** Examines the job and writes the page. Starts no run. */
export async function examineStep(
  { env, interrupts, transport }: ActionStep,
  inputs: Inputs,
): Promise<Outcome> {
  const { service, githubToken } = inputs;
  const page = await examineJob({
    version: packageJson.version,
    env,
    face: "action",
    baseUrl: service.type === "remote" ? service.baseUrl : null,
    audience: service.type === "remote" ? service.audience : null,
    transport,
    usesProxy: true,
    githubToken: githubToken === "" ? null : { from: 'the input "github-token"', value: githubToken },
    federation: service.model?.federation ?? null,
    federatedModel: service.model?.name ?? null,
    examineEmbedded: () => examineEmbedded(env, service.type === "embedded" ? service.model : null),
    clock: systemClock,
    random: Math.random,
    setSecret: core.setSecret,
    signal: interrupts.first,
  });
  for (const line of renderDoctorText(page).split("\n")) sayLine(line);
  if (inputs.summary && env.GITHUB_STEP_SUMMARY) {
    await appendFile(env.GITHUB_STEP_SUMMARY, renderDoctorMarkdown(page));
  }
  return { type: "examined", isSound: page.state !== "fault", message: verdictOf(page) };
}
