// Every named schema of workspaces, and every example, by noun. Pure.

import type { Components } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import type { WorkspaceNounRoutes } from "./routes.ts";
import { workspaceComponents } from "./workspace/components.ts";
import { workspaceExamples } from "./workspace/examples.ts";

export const workspaceNounComponents: Components = {
  ...workspaceComponents,
};

export const workspaceNounExamples: {
  readonly [Noun in keyof WorkspaceNounRoutes]: ExamplesOf<WorkspaceNounRoutes[Noun]>;
} = {
  workspaces: workspaceExamples,
};
