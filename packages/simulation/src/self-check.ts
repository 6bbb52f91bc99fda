export type { BrokenAgent } from './self-check/broken-agent.ts';
export { BROKEN_AGENTS } from './self-check/broken-agents.ts';
export { catchBrokenAgent, type Caught } from './self-check/catch-broken-agent.ts';
