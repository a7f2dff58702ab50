// The version of the API's document. Pure.

export const API_VERSION = "1.0.0";
