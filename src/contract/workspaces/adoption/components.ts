// What the fields of adoptions mean. Pure.

import { type Components, component } from "../../component.ts";
import { adoptionSchema, adoptRequestSchema } from "./adoption.ts";

export const adoptionComponents: Components = {
  Adoption: component(adoptionSchema, "A workspace is filled with the files of an agent's repository.", {
    agent_id: "The agent.",
    status: "Where it stands.",
    sha: "The commit.",
    objects: "How many contents and folders have been stored.",
    bytes: "Of these.",
    revision_id: "The revision that was made; null until it is.",
    operation_id: "The operation that adopts.",
    error: ["Why it failed.", { code: "One of the codes of refusals.", error: "For people." }],
    created_at: "When it was requested.",
    ended_at: "When it ended; null until it has.",
  }),
  AdoptRequest: component(adoptRequestSchema, "What to adopt.", {
    agent_id: "An agent of the account that has a repository.",
    sha: "A commit of that repository. Left out: the one that the agent's newest run from CI worked on.",
  }),
};
