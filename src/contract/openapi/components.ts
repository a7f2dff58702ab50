// Every named schema of the document, and every example, by noun. Pure.

import { accountComponents, accountExamples } from "../account.ts";
import { accountMemberComponents, accountMemberExamples, invitationExamples } from "../account-members.ts";
import { agUiComponents, agUiExamples } from "../ag-ui/routes.ts";
import { agentExamples } from "../agents/examples.ts";
import { agentComponents } from "../agents/routes.ts";
import { approvalExamples } from "../approvals/examples.ts";
import { approvalComponents } from "../approvals/routes.ts";
import { ciExamples, commitExamples } from "../ci/examples.ts";
import { ciComponents } from "../ci/routes.ts";
import { claimComponents, claimExamples } from "../claims.ts";
import type { Components } from "../component.ts";
import { connectionComponents, connectionExamples } from "../connections.ts";
import type { ExamplesOf } from "../examples.ts";
import { creditExamples, pricingExamples } from "../money/examples.ts";
import { moneyComponents } from "../money/routes.ts";
import { operationComponents, operationExamples } from "../operation.ts";
import { problemComponents } from "../problems/problem.ts";
import { questionComponents, questionExamples } from "../questions.ts";
import { repositoryAccessComponents, repositoryAccessExamples } from "../repository-access.ts";
import type { Routes } from "../routes.ts";
import { runIdentityComponents, runIdentityExamples } from "../run-identity.ts";
import { runExamples } from "../runs/examples.ts";
import { runComponents } from "../runs/routes.ts";
import { runEventComponents } from "../runs/run-event.ts";
import { scheduleExamples } from "../schedules/examples.ts";
import { scheduleComponents } from "../schedules/routes.ts";
import { sessionExamples } from "../sessions/examples.ts";
import { sessionComponents } from "../sessions/routes.ts";
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
  ...runIdentityComponents,
  ...accountComponents,
  ...accountMemberComponents,
  ...connectionComponents,
  ...questionComponents,
  ...workspaceNounComponents,
  ...moneyComponents,
  ...sessionComponents,
  ...agUiComponents,
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
  runIdentity: runIdentityExamples,
  account: accountExamples,
  accountMembers: accountMemberExamples,
  invitations: invitationExamples,
  connections: connectionExamples,
  questions: questionExamples,
  credits: creditExamples,
  pricing: pricingExamples,
  sessions: sessionExamples,
  operation: operationExamples,
  agUi: agUiExamples,
  ...workspaceNounExamples,
};
