// Why something is not done with a copy. Pure.

export type CopyRefusal = { readonly reason: "copy_not_found"; readonly copyId: string };
