// Why something is not done with a revision. Pure.

export type RevisionRefusal = { readonly reason: "revision_not_found"; readonly revisionId: string };
