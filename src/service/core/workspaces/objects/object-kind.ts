// The kinds of git's objects that workspaces are made of. Pure.

export const objectKinds = ["blob", "tree", "commit"] as const;
export type ObjectKind = (typeof objectKinds)[number];
