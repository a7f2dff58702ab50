// Every named schema of workspaces, and every example, by noun. Pure.

import type { Components } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { copyComponents } from "./copies/components.ts";
import { copyExamples } from "./copies/examples.ts";
import { operationComponents } from "./operations/components.ts";
import { operationExamples } from "./operations/examples.ts";
import { revisionComponents } from "./revisions/components.ts";
import { revisionExamples } from "./revisions/examples.ts";
import type { WorkspaceNounRoutes } from "./routes.ts";
import { workspaceComponents } from "./workspace/components.ts";
import { workspaceExamples } from "./workspace/examples.ts";

export const workspaceNounComponents: Components = {
  ...workspaceComponents,
  ...copyComponents,
  ...revisionComponents,
  ...operationComponents,
};

export const workspaceNounExamples: {
  readonly [Noun in keyof WorkspaceNounRoutes]: ExamplesOf<WorkspaceNounRoutes[Noun]>;
} = {
  workspaces: workspaceExamples,
  copies: copyExamples,
  revisions: revisionExamples,
  operations: operationExamples,
};
