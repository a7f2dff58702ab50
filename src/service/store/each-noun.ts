// The same reads of every noun, each within something that goes for all of them.

import type { StoreReader } from "../core/ports/store.ts";

type AroundRead = <Value>(read: () => Promise<Value>) => Promise<Value>;

export function eachNoun(queries: StoreReader, around: AroundRead): StoreReader {
  return {
    accounts: within(queries.accounts, around),
    credentials: within(queries.credentials, around),
    people: within(queries.people, around),
    invitations: within(queries.invitations, around),
    agents: within(queries.agents, around),
    sessions: within(queries.sessions, around),
    runs: within(queries.runs, around),
    events: within(queries.events, around),
    queue: within(queries.queue, around),
    runArchives: within(queries.runArchives, around),
    journal: within(queries.journal, around),
    ci: within(queries.ci, around),
    claims: within(queries.claims, around),
    audit: within(queries.audit, around),
    ledger: within(queries.ledger, around),
    usage: within(queries.usage, around),
    schedules: within(queries.schedules, around),
    workflows: within(queries.workflows, around),
    approvals: within(queries.approvals, around),
    writeGrants: within(queries.writeGrants, around),
    runIdentity: within(queries.runIdentity, around),
    mcpConnections: within(queries.mcpConnections, around),
    blobs: within(queries.blobs, around),
    packs: within(queries.packs, around),
    defaultHeads: within(queries.defaultHeads, around),
    repositoryAccess: within(queries.repositoryAccess, around),
    signIn: within(queries.signIn, around),
    identities: within(queries.identities, around),
    webSessions: within(queries.webSessions, around),
    runViews: within(queries.runViews, around),
    oauthArtifacts: within(queries.oauthArtifacts, around),
    oauthGrants: within(queries.oauthGrants, around),
    serviceSecrets: within(queries.serviceSecrets, around),
    requestKeys: within(queries.requestKeys, around),
    workspaces: within(queries.workspaces, around),
    members: within(queries.members, around),
    threads: within(queries.threads, around),
    contextItems: within(queries.contextItems, around),
    workspaceRuns: within(queries.workspaceRuns, around),
    workspaceSchedules: within(queries.workspaceSchedules, around),
    workspaceWorkflows: within(queries.workspaceWorkflows, around),
    sites: within(queries.sites, around),
    objects: within(queries.objects, around),
    copies: within(queries.copies, around),
    workers: within(queries.workers, around),
    taskGroups: within(queries.taskGroups, around),
    revisions: within(queries.revisions, around),
    adoptions: within(queries.adoptions, around),
    operations: within(queries.operations, around),
    retention: within(queries.retention, around),
    copyEntries: within(queries.copyEntries, around),
    trash: within(queries.trash, around),
    downloadLinks: within(queries.downloadLinks, around),
    workspaceEvents: within(queries.workspaceEvents, around),
    changesets: within(queries.changesets, around),
    operators: within(queries.operators, around),
    nodes: within(queries.nodes, around),
  };
}

function within<Noun extends object>(noun: Noun, around: AroundRead): Noun {
  return new Proxy(noun, {
    get: (target, name) => {
      const read: unknown = Reflect.get(target, name);
      if (typeof read !== "function") return read;
      return (...query: unknown[]) => around(async () => await read.apply(target, query));
    },
  });
}
