// What the fields of repository accesses mean. Pure.

import { type Components, component } from "../component.ts";
import { putRepositoryAccessSchema, repositoryAccessSchema } from "./repository-access.ts";

export const repositoryAccessComponents: Components = {
  RepositoryAccess: component(
    repositoryAccessSchema,
    "How the service reads an agent's repository for runs that no job asks for.",
    {
      agent_id: "The agent.",
      kind: "`none`: it works on what jobs have sent. `deploy_key`: git over ssh, with a read-only key of the repository. `github_app`: git over https, with an installation token of the operator's GitHub App.",
      url: "Where the repository is fetched from; absent with `none`.",
      public_key: "The public half of the deploy key. Add it to the repository, without write access.",
      fingerprint: "The SHA-256 fingerprint of the deploy key, as code hosts show it.",
      created_at: "When the owner chose it; absent with `none`.",
      fault: "Why it cannot be used now, and what to do; absent where nothing is known to hinder it.",
    },
  ),
  PutRepositoryAccessRequest: component(putRepositoryAccessSchema, "The access that the owner chooses.", {
    kind: "`deploy_key` or `github_app`. Chosen again, a deploy key stays the same: delete the access first for a new one.",
  }),
};
