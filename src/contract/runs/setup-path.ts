// How a run names the script that prepares its environment. Without schemas, as a job's step reads it. Pure.

export const MAX_SETUP_PATH_CHARS = 255;

/** Folders and a file: letters, digits and `.` `_` `@` `+` `-`. */
export const setupPathPattern = /^[\w.@+-]+(?:\/[\w.@+-]+)*$/;
