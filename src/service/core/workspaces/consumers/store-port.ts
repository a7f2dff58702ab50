// Sites of workspaces. Implemented in store/workspaces/consumers.ts.

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly sites: SiteReader;
  }
  interface StoreTransaction {
    readonly sites: SiteStore;
  }
}

/** The folder of a revision that a workspace shows. */
export type Site = {
  readonly workspaceId: string;
  readonly revisionId: string;
  /** "" for all files. */
  readonly folder: string;
  readonly publishedAt: number;
};

/** Shows a site to whoever has it. */
export type SiteLink = { readonly hash: string; readonly workspaceId: string; readonly expiresAt: number };

interface SiteReader {
  find(workspaceId: string): Promise<Site | null>;
  /** Null for one that has ended. */
  findLink(link: { hash: string; now: number }): Promise<SiteLink | null>;
}

export interface SiteStore extends SiteReader {
  /** In the place of the one before. */
  put(site: Site): Promise<void>;
  /** With its links. The site as it was; null where there is none, also for all but one of those that delete it at once. */
  delete(workspaceId: string): Promise<Site | null>;
  /** Forgets some that have ended. */
  insertLink(link: SiteLink & { now: number }): Promise<void>;
}
