export { BROKEN_AGENTS, type BrokenAgent } from './self-check/broken-agents.ts';
export { catchBrokenAgent, type Caught } from './self-check/catch-broken-agent.ts';
