import { at } from "../kit/beginnings.ts";
import { scratchWorkspace } from "../kit/filled.ts";
import type { Need } from "../kit/statement.ts";
import { currentRevision, makeWorkspace, propose } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

/** A route and a request of its, with another one that its key is not for. */
type Keyed = {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly other: Readonly<Record<string, unknown>>;
};

type KeyedRoute = {
  readonly name: string;
  readonly says: string;
  readonly needs?: readonly Need[];
  /** Whatever the route needs, made for this statement. */
  readonly prepare: (world: World) => Promise<Keyed>;
  /** Where two requests without a key make two things. */
  readonly makes?: boolean;
  /** Of what was made: "id" unless told. */
  readonly idAt?: string;
  /** Of a repetition: as the first one's unless told. */
  readonly repeated?: number;
};

export const named = (world: World) => ({ name: world.name("keyed") });
const evidence = (validation_evidence: string) => ({ validation_evidence });

/** A changeset to be decided, and what its decision names. */
async function decision(world: World, route: string): Promise<Keyed> {
  const workspaceId = await makeWorkspace(world);
  const { changesetId } = await propose(world, { workspaceId }, { "x.txt": "x" });
  const expected_current_revision = await currentRevision(world, workspaceId);
  const path = `/v1/workspaces/${workspaceId}/changesets/${changesetId}/${route}`;
  if (route === "reject") return { path, body: { reason: "No." }, other: { reason: "Never." } };
  const common = { expected_current_revision, ...(route === "resolve" ? { resolutions: [] } : {}) };
  return { path, body: { ...common, ...evidence("Read.") }, other: { ...common, ...evidence("Tested.") } };
}

/** The key is in the header alone, and has to be there. */
export const required: readonly KeyedRoute[] = [
  {
    name: "workspaces",
    says: "Making a workspace",
    prepare: async (world) => ({ path: "/v1/workspaces", body: named(world), other: named(world) }),
  },
  {
    name: "pins",
    says: "Making a retention pin",
    prepare: async (world) => {
      const workspaceId = (await scratchWorkspace(world)).workspaceId;
      const revision_id = await currentRevision(world, workspaceId);
      const path = `/v1/workspaces/${workspaceId}/retention/pins`;
      return { path, body: { revision_id, reason: "one" }, other: { revision_id, reason: "two" } };
    },
  },
  {
    name: "independent-agents",
    says: "Making an independent agent",
    repeated: 200,
    prepare: async (world) => {
      const kind = "independent";
      return { path: "/v1/agents", body: { kind, ...named(world) }, other: { kind, ...named(world) } };
    },
  },
];

/** The key is in the header or in the body. */
export const either: readonly KeyedRoute[] = [
  {
    name: "task-groups",
    says: "Making a task group",
    makes: true,
    prepare: async (world) => ({
      path: `${await at(world)}/task-groups`,
      body: { name: "a" },
      other: { name: "a", budget_credits: 5 },
    }),
  },
  {
    name: "context-items",
    says: "Adding a context item",
    makes: true,
    prepare: async (world) => {
      const path = `/v1/workspaces/${await makeWorkspace(world)}/context-items`;
      return { path, body: { content: "one" }, other: { content: "two" } };
    },
  },
  {
    name: "threads",
    says: "Beginning a session",
    makes: true,
    prepare: async (world) => ({
      path: `${await at(world)}/threads`,
      body: { title: "a" },
      other: { title: "b" },
    }),
  },
  {
    name: "copies",
    says: "Making a copy",
    makes: true,
    prepare: async (world) => {
      const { workspaceId } = await scratchWorkspace(world);
      const base_revision_id = await currentRevision(world, workspaceId);
      return { path: `/v1/workspaces/${workspaceId}/copies`, body: {}, other: { base_revision_id } };
    },
  },
  {
    name: "checkpoints",
    says: "A checkpoint",
    makes: true,
    prepare: async (world) => {
      const { workspaceId, copyId: working_copy_id } = await scratchWorkspace(world);
      const path = `/v1/workspaces/${workspaceId}/checkpoints`;
      return { path, body: { working_copy_id }, other: { working_copy_id, message: "Another." } };
    },
  },
  {
    name: "changesets",
    says: "Proposing a changeset",
    needs: ["files"],
    makes: true,
    prepare: async (world) => {
      const { path, working_copy_id } = await world.once("proposed copy", async () => {
        const workspaceId = await makeWorkspace(world);
        const { copyId } = await propose(world, { workspaceId }, { "x.txt": "x" });
        return { path: `/v1/workspaces/${workspaceId}/changesets`, working_copy_id: copyId };
      });
      return { path, body: { working_copy_id, title: "a" }, other: { working_copy_id, title: "b" } };
    },
  },
  ...["reject", "accept", "resolve"].map(
    (route): KeyedRoute => ({
      name: route,
      says: `The route ${route} of a changeset`,
      needs: ["files"],
      prepare: (world) => decision(world, route),
    }),
  ),
  {
    name: "workspace-schedules",
    says: "Making a schedule of a workspace",
    makes: true,
    prepare: async (world) => {
      const body = { prompt: "Look.", fire_at: "2099-01-01T00:00:00Z" };
      return { path: `${await at(world)}/schedules`, body, other: { ...body, prompt: "Look again." } };
    },
  },
  {
    name: "workers",
    says: "Starting a worker",
    needs: ["runs"],
    makes: true,
    prepare: async (world) => {
      const of = await at(world);
      const task_group_id = world.made(
        await world.post(`${of}/task-groups`, { name: "keyed", max_workers: 100 }),
      );
      const body = { task_group_id, message: "One word." };
      return { path: `${of}/workers`, body, other: { ...body, message: "Two words." } };
    },
  },
  {
    name: "runs",
    says: "A run of a workspace",
    needs: ["runs"],
    makes: true,
    idAt: "run_id",
    prepare: async (world) => ({
      path: `${await at(world)}/runs`,
      body: { message: "One word." },
      other: { message: "Two words." },
    }),
  },
];
