// The actions of others that our workflows, examples and documents use: versions and commits, each looked up in its repository at
// its tag. GitHub's runners have no Node 20 since 2026-09-23: what is used has a newer runtime.

export type ForeignAction = {
  readonly version: `v${number}.${number}.${number}`;
  /** What the tag of the version names. */
  readonly commit: string;
  /** `runs.using` of its action.yml at that commit. */
  readonly runtime: "node24";
  /** When it was looked up. */
  readonly checked: `${number}-${number}-${number}`;
};

/** By their repositories. */
export const foreignActions: Readonly<Record<string, ForeignAction>> = {
  "actions/cache": {
    version: "v5.0.5",
    commit: "27d5ce7f107fe9357f9df03efb73ab90386fccae",
    runtime: "node24",
    checked: "2026-11-23",
  },
  "actions/checkout": {
    version: "v7.0.1",
    commit: "3d3c42e5aac5ba805825da76410c181273ba90b1",
    runtime: "node24",
    checked: "2026-11-23",
  },
  "actions/download-artifact": {
    version: "v8.0.1",
    commit: "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    runtime: "node24",
    checked: "2026-11-23",
  },
  "actions/setup-node": {
    version: "v7.0.0",
    commit: "820762786026740c76f36085b0efc47a31fe5020",
    runtime: "node24",
    checked: "2026-11-23",
  },
  "actions/upload-artifact": {
    version: "v7.0.0",
    commit: "bbbca2ddaa5d8feaa63e36b76fdaad77386f024f",
    runtime: "node24",
    checked: "2026-11-23",
  },
};
