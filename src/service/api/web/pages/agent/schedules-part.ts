// Starts of an agent's runs without a person: its schedules, and the workflows that its AI clients have written.

import { html } from "hono/html";
import type { Core } from "../../../../core/core.ts";
import type { Html } from "../../web-context.ts";
import type { ShownAgent } from "./agent-part.ts";
import { type ShownWorkflow, scheduleSection, workflowSection } from "./agent-sections.ts";
import { findCommitObstacles } from "./commit-obstacles.ts";

const SCHEDULES_SHOWN = 20;

export async function schedulesPart(
  core: Core,
  { agent, session, openedWorkflow }: ShownAgent,
): Promise<Html> {
  const { id } = agent;
  const [schedules, members, workflows, obstacles] = await Promise.all([
    core.store.committed.schedules.list(id),
    core.store.committed.people.listMembers(session.accountId),
    shownWorkflows(core, { agentId: id, opened: openedWorkflow }),
    findCommitObstacles(core, { agent, sessionIds: [] }),
  ]);
  return html`<h2>Schedules</h2>
${scheduleSection(session, { agentId: id, schedules: schedules.slice(0, SCHEDULES_SHOWN), members })}
<h2>Workflows</h2>
${workflowSection(session, { agentId: id, workflows, obstacles })}`;
}

async function shownWorkflows(
  { store }: Core,
  { agentId, opened }: { agentId: string; opened: string | null },
): Promise<readonly ShownWorkflow[]> {
  const { workflows } = store.committed;
  return await Promise.all(
    (await workflows.list(agentId)).map(async (workflow) => {
      const { id, version } = workflow;
      return { ...workflow, prompt: id === opened ? await workflows.findPrompt({ id, version }) : null };
    }),
  );
}
