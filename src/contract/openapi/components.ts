// Every named schema of the document, and every example, by noun. Pure.

import { agentComponents } from "../agents/components.ts";
import { agentExamples } from "../agents/examples.ts";
import { approvalComponents } from "../approvals/components.ts";
import { approvalExamples } from "../approvals/examples.ts";
import { ciComponents } from "../ci/components.ts";
import { ciExamples, commitExamples } from "../ci/examples.ts";
import { claimComponents, claimExamples } from "../claims.ts";
import type { Components } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { moneyComponents } from "../money/components.ts";
import { creditExamples, pricingExamples } from "../money/examples.ts";
import { operationComponents, operationExamples } from "../operation.ts";
import { problemComponents } from "../problems/components.ts";
import { questionComponents, questionExamples } from "../questions.ts";
import { repositoryAccessComponents, repositoryAccessExamples } from "../repository-access.ts";
import type { Routes } from "../routes.ts";
import { runComponents } from "../runs/components.ts";
import { runEventComponents } from "../runs/event-components.ts";
import { runExamples } from "../runs/examples.ts";
import { scheduleComponents } from "../schedules/components.ts";
import { scheduleExamples } from "../schedules/examples.ts";
import { sessionComponents } from "../sessions/components.ts";
import { sessionExamples } from "../sessions/examples.ts";
import { workflowComponents, workflowExamples } from "../workflows.ts";
import { workspaceNounComponents, workspaceNounExamples } from "../workspaces/components.ts";
import { writeGrantComponents, writeGrantExamples } from "../write-grants.ts";

export const components: Components = {
  ...problemComponents,
  ...ciComponents,
  ...claimComponents,
  ...agentComponents,
  ...repositoryAccessComponents,
  ...runComponents,
  ...runEventComponents,
  ...scheduleComponents,
  ...workflowComponents,
  ...approvalComponents,
  ...writeGrantComponents,
  ...questionComponents,
  ...workspaceNounComponents,
  ...moneyComponents,
  ...sessionComponents,
  ...operationComponents,
};

/** By noun and route: a noun without examples does not compile. */
export const examples: { readonly [Noun in keyof Routes]: ExamplesOf<Routes[Noun]> } = {
  ci: ciExamples,
  commits: commitExamples,
  claims: claimExamples,
  agents: agentExamples,
  repositoryAccess: repositoryAccessExamples,
  runs: runExamples,
  schedules: scheduleExamples,
  workflows: workflowExamples,
  approvals: approvalExamples,
  writeGrants: writeGrantExamples,
  questions: questionExamples,
  credits: creditExamples,
  pricing: pricingExamples,
  sessions: sessionExamples,
  operation: operationExamples,
  ...workspaceNounExamples,
};
