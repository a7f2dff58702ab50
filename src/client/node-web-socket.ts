// A WebSocket for Node before version 22, which has none of its own. Loaded only there.

export { WebSocket } from "ws";
