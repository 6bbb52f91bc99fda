export type { Agent, AgentOptions, AgentPorts, NodeOptions } from './agent.ts';
export { createAgent } from './create-agent.ts';
export { ModuleError, type ModuleErrorReason } from './host/module-error.ts';
export { activeDeadlines } from './modules/active-deadlines.ts';
export { apiServer } from './modules/api-server.ts';
export { containerGarbageCollection } from './modules/container-garbage-collection.ts';
export { containerRestarts } from './modules/container-restarts.ts';
export { type AgentParts, defaultParts } from './parts.ts';
